// `npm run affected`: the unit tests of the workspaces that a change reaches, by nx's graph of imports. Works offline.
// npm run affected -- [--base REVISION] [--list] [arguments for Jest…]; the base is main.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { nodeProgram, root } from './setup.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  strict: false,
  options: { base: { type: 'string', default: 'main' }, list: { type: 'boolean' } },
});

const nx = join(root, 'node_modules', 'nx', 'dist', 'bin', 'nx.js');
const names = JSON.parse(execFileSync(nodeProgram(), [nx, 'show', 'projects', '--affected', `--base=${values.base}`, '--json'], { cwd: root, encoding: 'utf8' }));
const folders = names
  .map((name) => name.replace('@parlance/', ''))
  .flatMap((name) => [`libs/${name}`, `apps/${name}`])
  .filter((folder) => existsSync(join(root, folder)))
  .toSorted();

if (values.list || folders.length === 0) console.log(folders.join('\n') || `Nothing is affected since ${values.base}.`);
else process.exitCode = spawnSync(nodeProgram(), [join(root, 'scripts', 'test.mjs'), ...folders.map((folder) => `${folder}/`), '--selectProjects', 'unit', ...positionals], { cwd: root, stdio: 'inherit' }).status ?? 1;
