import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

const limit = (pid: number, soft: string): Promise<unknown> => run('prlimit', ['--pid', String(pid), `--nofile=${soft}:`]);

/**
 * Leaves a running process no descriptor beyond those it has: each further open, accept, connect and spawn of it fails with EMFILE.
 * Needs prlimit of util-linux. @returns gives it back what it had
 */
export async function exhaustDescriptors(pid: number): Promise<() => Promise<void>> {
  const { stdout } = await run('prlimit', ['--pid', String(pid), '--nofile', '--output=SOFT', '--noheadings', '--raw']);
  // Numbers are given out from the lowest: a limit below the number of those in use leaves none.
  await limit(pid, String((await readdir(`/proc/${pid}/fd`)).length - 1));
  return async () => void (await limit(pid, stdout.trim()));
}
