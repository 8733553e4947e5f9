// `npm run lint`: style, boundaries, contracts. Every check runs, then the exit code says whether all held.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { nodeProgram } from './setup.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const bin = (name) => `${root}node_modules/.bin/${name}`;

const checks = [
  ['oxlint', bin('oxlint'), ['--deny-warnings', 'apps', 'libs', 'scripts', 'bench', 'test', 'sdks'], root],
  ['boundaries', nodeProgram(), [`${root}node_modules/dependency-cruiser/bin/dependency-cruise.mjs`, '--config', '.dependency-cruiser.cjs', 'apps', 'libs'], root],
  ['regular expressions', nodeProgram(), [`${root}scripts/regular-expressions.mjs`], root],
  ['plain English', nodeProgram(), [`${root}scripts/plain-english.mjs`], root],
  ['unused exports', nodeProgram(), [`${root}scripts/unused-exports.mjs`], root],
  ['documents', nodeProgram(), [`${root}scripts/documents.mjs`], root],
  ['licences of binaries', nodeProgram(), [`${root}scripts/scan-binaries.mjs`], root],
  ['proto lint', bin('buf'), ['lint'], `${root}proto`],
  ['proto breaking', bin('buf'), ['breaking', '--against', 'baseline.binpb'], `${root}proto`],
];

let failed = 0;
for (const [name, command, args, cwd] of checks) {
  const { status } = spawnSync(command, args, { cwd, stdio: 'inherit' });
  if (status !== 0) failed += 1;
  console.log(`${status === 0 ? 'ok  ' : 'FAIL'} ${name}`);
}
process.exitCode = failed === 0 ? 0 : 1;
