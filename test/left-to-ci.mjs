import { relative } from 'node:path';
import { SLOW_CASES, SLOW_SUITES } from './slow-tests.mjs';

/** Ends a quick run with how much of the tests it left to .ci/full. */
export default class LeftToCi {
  constructor({ rootDir }) {
    this.rootDir = rootDir;
  }

  onRunComplete(_contexts, { testResults }) {
    const cases = testResults.flatMap(({ testFilePath, testResults: tests }) => tests.filter((test) => this.isLeft(testFilePath, test)));
    console.log(`Left to .ci/full: ${SLOW_SUITES.length} slow suites and ${cases.length} slow cases of others (test/slow-tests.mjs). TESTS=all npm test runs them too.`);
  }

  isLeft(path, { status, fullName }) {
    return status === 'pending' && (SLOW_CASES[relative(this.rootDir, path)] ?? []).some((beginning) => fullName.startsWith(beginning));
  }
}
