// `npm run admin -- …`: the operators' command parlance-admin, from the repository.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { nodeProgram, root, runScript, setUp } from './setup.mjs';

await runScript(async () => {
  await setUp();
  const main = join(root, 'bundle', 'parlance-admin.js');
  process.exitCode = spawnSync(nodeProgram(), [main, ...process.argv.slice(2)], { stdio: 'inherit' }).status ?? 1;
});
