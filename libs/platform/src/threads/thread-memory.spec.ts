import { expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const PROGRAM = `
const { Worker, isMainThread } = require('node:worker_threads');
const { getHeapSpaceStatistics } = require('node:v8');
const { keepMemorySettings, threadMemory } = require('@parlance/platform');
const fill = () => {
  let most = 0;
  const kept = [];
  for (let round = 0; round < 400_000; round++) {
    const made = { name: 'object ' + round };
    if (round % 20 === 0) kept.push(made);
    if (round % 5000 === 0) most = Math.max(most, getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size);
  }
  return most;
};
keepMemorySettings();
new Worker('(' + inThread + ')(' + fill + ')', { eval: true, resourceLimits: threadMemory(64) }).on('message', console.log);
function inThread(fill) {
  const { getHeapSpaceStatistics } = require('node:v8');
  globalThis.getHeapSpaceStatistics = getHeapSpaceStatistics;
  require('node:worker_threads').parentPort.postMessage(fill());
}`;

test('programs that the process starts do not get its settings of the allocator', async () => {
  const program = "require('@parlance/platform').keepMemorySettings(); console.log(require('node:child_process').execSync('echo ${MALLOC_ARENA_MAX:-none}').toString())";
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', program], { cwd: import.meta.dirname, env: { ...process.env, MALLOC_ARENA_MAX: '1' } });
  expect(stdout.trim()).toBe('none');
});

test('a thread has no more room for new objects than its own limit, whatever the process was given', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--max-semi-space-size=64', '-e', PROGRAM], { cwd: import.meta.dirname });
  expect(Number(stdout)).toBeGreaterThan(0);
  expect(Number(stdout)).toBeLessThanOrEqual(4 * 1024 * 1024);
});
