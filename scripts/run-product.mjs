// The product's one process, as a child that ends with its parent.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { nodeProgram, root } from './setup.mjs';

/** Runs it with these arguments. @returns its exit code. */
export function runProduct(args) {
  const main = join(root, 'bundle', 'standalone.js');
  // New objects get less room than by default, and the garbage of old ones a third of what they take: less memory for the process.
  const flags = ['--enable-source-maps', '--max-semi-space-size=8', '--heap-growing-percent=30'];
  // Freed memory is returned to the system: a hundred megabytes after a long recording. Only glibc reads these settings.
  const allocator = { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '16384', MALLOC_TRIM_THRESHOLD_: '65536' };
  // The channel closes with this process, even after SIGKILL, and the child stops.
  const child = spawn(nodeProgram(), [...flags, main, ...args], { env: { ...allocator, ...process.env }, stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
  let isStopping = false;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
    process.on(signal, () => {
      isStopping = true;
      // A terminal sends Ctrl-C to the whole group; what was sent to us alone is passed on.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  }
  // npm hands a signal to its shell, which ends without handing it on: an orphan is stopped once,
  // since a second signal would cut off what is still being finished.
  const parent = process.ppid;
  setInterval(() => {
    if (isStopping || process.ppid === parent) return;
    isStopping = true;
    child.kill('SIGTERM');
  }, 300).unref();
  return new Promise((resolve) => child.on('exit', (code, signal) => resolve(code ?? (signal ? 1 : 0))));
}
