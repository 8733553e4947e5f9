import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { TIME_FACTOR } from '@parlance/testing';

const CHAOS = fileURLToPath(new URL('../../scripts/chaos/main.mjs', import.meta.url));
/** One kill of a gateway and one of a worker, each under several sessions. */
const ROUNDS = '2';

it('live sessions whose gateway or worker is killed with -9 have the finals, transcript and recording of an undisturbed one', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [CHAOS, '--only', 'live-cluster', '--rounds', ROUNDS]).catch((error: { stdout: string }) => {
    throw new Error(`${String(error)}\n${error.stdout}`, { cause: error });
  });
  process.stdout.write(stdout);
  expect(stdout).toMatch(/, [1-9]\d* kills of the gateway of a live session, [1-9]\d* kills of the worker of a live session, .*: ok$/m);
}, 1_800_000 * TIME_FACTOR);
