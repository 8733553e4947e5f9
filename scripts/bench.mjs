// `npm run bench`: sets up, then measures. Options: --quick, --smoke, --list, --only NAME.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { nodeProgram, root, runScript, setUp } from './setup.mjs';

await runScript(async () => {
  await setUp();
  process.exitCode = spawnSync(nodeProgram(), [join(root, 'bench', 'main.mjs'), ...process.argv.slice(2)], { cwd: root, stdio: 'inherit' }).status ?? 1;
});
