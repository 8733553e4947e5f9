// `npm run chaos -- --rounds N [--only KIND,…] [--seed N]`: sets up, then disturbs the running product and checks what it promises.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { nodeProgram, root, runScript, setUp } from './setup.mjs';

await runScript(async () => {
  await setUp();
  process.exitCode = spawnSync(nodeProgram(), [join(root, 'scripts', 'chaos', 'main.mjs'), ...process.argv.slice(2)], { cwd: root, stdio: 'inherit' }).status ?? 1;
});
