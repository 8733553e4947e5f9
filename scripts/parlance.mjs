// `npm run parlance -- …`: the command parlance, from the repository. Paths are relative to the folder in which npm was called.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { buildCommand } from './build-command.mjs';
import { nodeProgram, runScript } from './setup.mjs';

await runScript(async () => {
  const child = spawn(nodeProgram(), [buildCommand(), ...process.argv.slice(2)], { stdio: 'inherit', cwd: process.env.INIT_CWD ?? process.cwd() });
  // The terminal sends Ctrl-C to both; the command decides when it ends.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  const [code] = await once(child, 'close');
  process.exitCode = code ?? 1;
});
