// `npm start`: sets up, then runs all seven services in one process.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { nodeProgram, root, runScript, setUp } from './setup.mjs';

await runScript(async () => {
  await setUp();
  const main = join(root, 'apps', 'standalone', 'dist', 'main.js');
  const child = spawn(nodeProgram(), ['--enable-source-maps', main, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
    process.on(signal, () => {
      // A terminal sends Ctrl-C to the whole group; what was sent to us alone is passed on.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  }
  // npm hands a signal to its shell, which ends without handing it on: an orphan stops as if it had been told to.
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), 300).unref();
  process.exitCode = await new Promise((resolve) => child.on('exit', (code, signal) => resolve(code ?? (signal ? 1 : 0))));
});
