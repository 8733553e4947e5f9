// Builds the command `parlance` and the JavaScript client that it uses with tsc, where their sources are newer than what was built.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { nodeProgram, root, SetupError } from './setup.mjs';

const PACKAGES = ['sdks/javascript', 'sdks/command'];

/** The time of the last change below a folder. */
function newest(folder) {
  if (!existsSync(folder)) return 0;
  return Math.max(0, ...readdirSync(folder, { recursive: true }).map((name) => statSync(join(folder, name)).mtimeMs));
}

/** @returns the path of the program. @throws SetupError with one line that says what to do */
export function buildCommand() {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  if (!existsSync(tsc)) throw new SetupError('The npm packages are missing. Run: npm ci');
  for (const name of PACKAGES) {
    const folder = join(root, name);
    if (newest(join(folder, 'dist')) > newest(join(folder, 'src'))) continue;
    const { status } = spawnSync(nodeProgram(), [tsc, '-p', join(folder, 'tsconfig.build.json')], { stdio: ['ignore', 2, 2] });
    if (status !== 0) throw new SetupError(`${name} could not be built; see the messages above.`);
  }
  return join(root, 'sdks', 'command', 'bin', 'parlance.js');
}
