// Loaded into the product before its own code: keeps figures of the process in a file. SIGUSR2 begins them anew, after a collection of garbage.
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

const LOOK_MS = 5;
const WRITE_MS = 500;

const { WATCH_FOLDER: folder } = process.env;
if (isMainThread && folder !== undefined) watch(join(folder, String(process.pid)));

function watch(path) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  const delay = monitorEventLoopDelay({ resolution: LOOK_MS });
  delay.enable();
  let [cpu, held, turns, live] = [process.cpuUsage(), 0, 0, liveBytes()];
  let last = process.threadCpuUsage();

  process.on('SIGUSR2', () => {
    // Twice: buffers that the first one freed count as external memory until the second.
    collect();
    collect();
    [cpu, held, turns, live] = [process.cpuUsage(), 0, turns + 1, liveBytes()];
    last = process.threadCpuUsage();
    // After the turn that collected.
    setTimeout(() => delay.reset(), 2 * LOOK_MS);
  });
  // The CPU time of the main thread between two turns of a short timer: unlike the delay, it does not grow while other processes have the cores.
  setInterval(() => {
    const now = process.threadCpuUsage(last);
    last = process.threadCpuUsage();
    held = Math.max(held, (now.user + now.system) / 1000);
  }, LOOK_MS).unref();
  setInterval(() => {
    const { user, system } = process.cpuUsage(cpu);
    // Moved into place: a reader never finds half of it.
    writeFileSync(`${path}.new`, JSON.stringify({ turns, live, cpuMs: (user + system) / 1000, heldMs: held, delayMs: delay.max / 1e6, delayP99Ms: delay.percentile(99) / 1e6 }));
    renameSync(`${path}.new`, path);
  }, WRITE_MS).unref();
}

/** Bytes of objects and buffers. */
function liveBytes() {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
