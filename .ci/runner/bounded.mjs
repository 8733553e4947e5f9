import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** Between SIGTERM and SIGKILL: a part may have a product, servers or a node to stop. */
const GRACE_MS = 60_000;
/** A process that outlives the program can hold its pipes open: they are read no longer than this after the end of the program. */
const DRAIN_MS = 1000;

/**
 * Runs a program in a process group of its own, ends the group at its limit or by the signal, and writes its output to a file and to
 * this process's.
 * @param {string[]} command the program and its arguments
 * @param {{ cwd?: string, env: Record<string, string | undefined>, seconds: number, log: string, signal: AbortSignal }} options
 * @returns {Promise<{ status: number | null, timedOut: boolean, seconds: number }>} status null: ended by a signal
 * @throws Error when the program cannot be started or its output cannot be kept
 */
export async function runBounded([program, ...args], { cwd, env, seconds, log, signal }) {
  signal.throwIfAborted();
  const started = performance.now();
  const child = spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  await once(child, 'spawn');
  const file = createWriteStream(log);
  let logFailure;
  file.on('error', (error) => (logFailure ??= error));
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data) => {
      file.write(data);
      process.stdout.write(data);
    });
  const closed = Promise.all([once(child.stdout, 'close'), once(child.stderr, 'close')]);
  let timedOut = false;
  const limit = setTimeout(() => {
    timedOut = true;
    void endGroup(child);
  }, seconds * 1000);
  const end = () => void endGroup(child);
  signal.addEventListener('abort', end);
  const [status] = await once(child, 'exit');
  clearTimeout(limit);
  signal.removeEventListener('abort', end);
  await Promise.race([closed, sleep(DRAIN_MS)]);
  // What a part leaves behind would disturb the next one.
  signalGroup(child, 'SIGKILL');
  child.stdout.destroy();
  child.stderr.destroy();
  await finished(file.end()).catch(() => {});
  if (logFailure) throw new Error(`The output cannot be kept: ${logFailure.message}`);
  return { status, timedOut, seconds: (performance.now() - started) / 1000 };
}

async function endGroup(child) {
  signalGroup(child, 'SIGTERM');
  await Promise.race([once(child, 'exit'), sleep(GRACE_MS, undefined, { ref: false })]);
  signalGroup(child, 'SIGKILL');
}

function signalGroup({ pid }, signal) {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}
