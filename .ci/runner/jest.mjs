// Runs Jest by `npm test`, then each spec file that failed again by itself: node .ci/runner/jest.mjs NAME [ARGUMENT…]
// Writes reports/NAME.json, of a repetition reports/NAME-again.json, and ends with "N passed, N failed". A file that passes the second time is flaky (reports/flaky.jsonl).
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { FlakyLog, MAX_FLAKY } from './flaky.mjs';
import { FAILED_TWICE } from './verdict.mjs';

const MESSAGE_LINES = 12;

const [name, ...args] = process.argv.slice(2);

/**
 * Runs Jest, which is made to end: in one process an open handle of a spec file would hold it to the limit of the part.
 * @returns {{ status: number | null, passed: number, failures: Map<string, { passed: number, failed: number, message: string }> } | undefined} undefined: no report
 */
function jest(report, more) {
  rmSync(report, { force: true });
  const { status } = spawnSync('npm', ['test', '--', ...args, ...more, '--forceExit', '--json', `--outputFile=${report}`], { stdio: ['ignore', 'inherit', 'inherit'] });
  if (!existsSync(report)) return undefined;
  const { numPassedTests: passed, testResults } = JSON.parse(readFileSync(report, 'utf8'));
  const failures = new Map();
  for (const { name: path, status: result, message, assertionResults } of testResults) {
    const failed = assertionResults.filter((test) => test.status === 'failed');
    // A file can fail outside of its tests: when it cannot be loaded, or in its hooks.
    if (result === 'failed') failures.set(relative('.', path), { passed: assertionResults.filter((test) => test.status === 'passed').length, failed: Math.max(failed.length, 1), message: beginning(failed, message) });
  }
  return { status, passed, failures };
}

const beginning = (failed, message) => {
  const text = failed.map(({ fullName, failureMessages }) => `${fullName}\n${failureMessages.join('\n')}`).join('\n') || message;
  return stripVTControlCharacters(text).split('\n').filter((line) => line.trim() !== '').slice(0, MESSAGE_LINES).join('\n');
};

const first = jest(`reports/${name}.json`, []);
if (!first) {
  console.log(`FAILED ${name} made no report`);
  process.exit(1);
}
let { passed } = first;
let failed = 0;
for (const [file, failure] of first.failures) {
  // More than these cannot be excused as flaky, so that the repetition could not change the verdict.
  const again = first.failures.size <= MAX_FLAKY ? jest(`reports/${name}-again.json`, ['--runInBand', '--runTestsByPath', file]) : undefined;
  if (again && again.status === 0) {
    new FlakyLog('reports/flaky.jsonl').add(file, failure.message.split('\n').slice(0, 2).join(': '));
    passed += again.passed - failure.passed;
  } else {
    failed += failure.failed;
    console.log(`FAILED ${file}\n${failure.message}`);
  }
}
// Jest can fail without a failed test, for example on a limit of coverage or an open handle.
if (first.status !== 0 && first.failures.size === 0) {
  failed = 1;
  console.log(`FAILED ${name}: Jest ended with status ${first.status} though no test failed`);
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : FAILED_TWICE;
