// `npm run generate`: everything that is generated and committed. CI runs it and fails when the tree differs afterwards.
// With --publish-contract the proto baseline, which `buf breaking` compares with, becomes what the protos say now.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeProgram, root, runScript, setUp, SetupError } from './setup.mjs';

function run(command, args, cwd = root) {
  const { status, stdout } = spawnSync(command, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 64 * 1024 * 1024 });
  if (status !== 0) throw new SetupError(`${command} ${args.join(' ')} failed.`);
  return stdout;
}

await runScript(async () => {
  const buf = join(root, 'node_modules', '.bin', 'buf');
  const proto = join(root, 'proto');
  run(buf, ['generate'], proto);
  if (process.argv.includes('--publish-contract')) run(buf, ['build', '-o', 'baseline.binpb'], proto);
  await setUp();
  mkdirSync(join(root, 'docs', 'reference'), { recursive: true });
  const configuration = run(nodeProgram(), [join(root, 'apps/standalone/dist/print-configuration.js')]);
  writeFileSync(join(root, 'docs/reference/configuration.md'), configuration);
  const openapi = join(root, 'scripts/generate-openapi.mjs');
  if (existsSync(openapi)) run(nodeProgram(), [openapi]);
  run(nodeProgram(), [join(root, 'scripts/generate-events.mjs')]);
  run(nodeProgram(), [join(root, 'scripts/generate-live.mjs')]);
  run(nodeProgram(), [join(root, 'scripts/generate-data-map.mjs')]);
});
