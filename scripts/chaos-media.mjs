// `npm run chaos:media`: sets up, then sends bombs and junk to the product on a small disk and checks that others see nothing of it.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { nodeProgram, root, runScript, setUp } from './setup.mjs';

await runScript(async () => {
  await setUp();
  process.exitCode = spawnSync(nodeProgram(), [join(root, 'scripts', 'chaos', 'media.mjs')], { cwd: root, stdio: 'inherit' }).status ?? 1;
});
