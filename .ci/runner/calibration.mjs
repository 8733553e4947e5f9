import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const WORK = fileURLToPath(new URL('calibration-work.mjs', import.meta.url));

/** One moment of high load must not give a part that hangs the whole time of the gate. */
const MAX_FACTOR = 6;
/** Wall seconds of the work on the machine on which the limits of the parts were measured, while it was quiet. */
const REFERENCE_SECONDS = 1.6;

/**
 * Times a fixed piece of work in two processes at once, as the parts keep two cores busy.
 * @returns how many times slower this machine is now than the one on which limits were measured, from 1 to 6, and what was measured
 */
export async function calibrate() {
  const started = performance.now();
  const runs = await Promise.all([1, 2].map(() => promisify(execFile)(process.execPath, [WORK])));
  const wallSeconds = (performance.now() - started) / 1000;
  const cpuSeconds = runs.reduce((sum, { stdout }) => sum + Number(stdout), 0);
  return { factor: Math.min(MAX_FACTOR, Math.max(1, wallSeconds / REFERENCE_SECONDS)), wallSeconds, cpuSeconds, cores: availableParallelism() };
}
