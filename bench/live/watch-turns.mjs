// Loaded into the product before its own code: keeps the longest delay of the main thread's event loop in a file. SIGUSR2 begins anew.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

const { TURNS_FOLDER: folder } = process.env;
if (isMainThread && folder !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  process.on('SIGUSR2', () => delay.reset());
  setInterval(() => writeFileSync(join(folder, String(process.pid)), JSON.stringify({ max: delay.max / 1e6, p99: delay.percentile(99) / 1e6 })), 500).unref();
}
