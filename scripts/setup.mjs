// Installs and builds everything that `npm start` and `npm test` need: npm packages, ffmpeg and the offline recogniser, a build.
// Plain JavaScript for any Node ≥ 20, without a dependency, since it runs before anything is installed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** Stops with one line that says what to do. */
export class SetupError extends Error {}

const say = (line) => process.stderr.write(`${line}\n`);

const stamp = join(root, 'node_modules', '.parlance-lock');
const lockHash = () => createHash('sha256').update(readFileSync(join(root, 'package-lock.json'))).digest('hex');

/** True when node_modules is what the lock file says. */
const hasPackages = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === lockHash();

/** Installs what the lock file says. */
function installPackages() {
  say('Installing npm packages…');
  const npm = process.env.npm_execpath;
  const [command, args] = npm ? [process.execPath, [npm]] : ['npm', []];
  // Its install script would fetch CUDA libraries from another host where npm does not know `allowScripts`.
  const env = { ...process.env, ONNXRUNTIME_NODE_INSTALL: 'skip' };
  const result = spawnSync(command, [...args, 'ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: root, env, stdio: ['ignore', 2, 2] });
  if (result.status !== 0) throw new SetupError('npm ci failed; see its message above.');
  writeFileSync(stamp, lockHash());
}

const onPath = (program) =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

const hasRecogniser = () => onPath('pocketsphinx_batch');
const hasModel = () =>
  ['/usr/share/pocketsphinx/model/en-us', '/usr/local/share/pocketsphinx/model/en-us', '/opt/homebrew/share/pocketsphinx/model/en-us'].some((path) =>
    existsSync(path),
  );

/** Debian packages that are missing: those of the configured engine, and further ones that are named as their program. */
function missingPackages(further) {
  const missing = further.filter((program) => !onPath(program));
  if (!onPath('ffmpeg') || !onPath('ffprobe')) missing.push('ffmpeg');
  const engine = process.env.SPEECH_ENGINE_URL ?? 'pocketsphinx:';
  if (engine.startsWith('pocketsphinx:')) {
    if (!hasRecogniser()) missing.push('pocketsphinx');
    if (!hasModel()) missing.push('pocketsphinx-en-us');
  }
  return missing;
}

function installCommand(packages) {
  if (onPath('apt-get')) return `sudo apt-get install -y ${packages.join(' ')}`;
  const others = packages.filter((name) => !/^(ffmpeg|pocketsphinx)/.test(name));
  if (onPath('brew')) return ['brew install ffmpeg cmu-pocketsphinx', ...others].join(' ');
  if (onPath('dnf')) return ['sudo dnf install ffmpeg-free pocketsphinx pocketsphinx-models', ...others].join(' ');
  return undefined;
}

function apt(prefix, args) {
  const [command, ...rest] = [...prefix, 'apt-get', ...args];
  return spawnSync(command, rest, { stdio: ['inherit', 'ignore', 2], env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } }).status === 0;
}

/**
 * Installs the npm packages, and with apt-get the missing system packages. On a person's terminal one question names all of it first.
 * @throws SetupError after a no, and before anything is installed where apt-get cannot be used for what is missing
 */
async function install(further, yes) {
  const missing = missingPackages(further);
  const prefix = missing.length > 0 ? aptPrefix() : undefined;
  if (missing.length > 0 && !prefix) throw new SetupError(byHand(missing));
  const plan = [...(hasPackages() ? [] : [NPM_PACKAGES]), ...(missing.length > 0 ? [`the system packages ${missing.join(', ')} with apt-get`] : [])];
  if (plan.length === 0) return;
  if (!yes && !(await isAgreed(plan))) throw new SetupError(missing.length > 0 ? byHand(missing) : 'Nothing was installed. Parlance needs the npm packages of package-lock.json: start again, or run: npm ci');
  if (!hasPackages()) installPackages();
  if (missing.length > 0) installPrograms(prefix, missing);
}

const NPM_PACKAGES = 'the npm packages of package-lock.json into node_modules';

function byHand(missing) {
  const command = installCommand(missing);
  return command
    ? `Parlance needs ${missing.join(', ')}. Install it with: ${command}`
    : `Parlance needs ffmpeg and pocketsphinx with its English model (missing: ${missing.join(', ')}); install them and start again.`;
}

function installPrograms(prefix, missing) {
  say(`Installing ${missing.join(', ')} with apt-get…`);
  const args = ['install', '-y', '--no-install-recommends', ...missing];
  if (!apt(prefix, ['update']) || !apt(prefix, args)) throw new SetupError(byHand(missing));
}

const isPersonsTerminal = () => Boolean(process.stdin.isTTY && process.stderr.isTTY && !process.env.CI);

async function isAgreed(plan) {
  if (!isPersonsTerminal()) return true;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`Parlance needs packages that are missing here. Install ${plan.join(', and ')}? [Y/n] `);
    return /^(y(es)?)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}

/** The command before apt-get: none for root, sudo, or undefined where apt-get cannot be used. */
function aptPrefix() {
  if (!onPath('apt-get')) return undefined;
  if (process.getuid?.() === 0) return [];
  if (!onPath('sudo')) return undefined;
  const interactive = process.stdin.isTTY && process.stderr.isTTY;
  if (interactive || spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status === 0) return ['sudo'];
  return undefined;
}

/** The Node that the npm package `node` brought; the machine's own when it is new enough. */
export function nodeProgram() {
  const bundled = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (existsSync(bundled) && spawnSync(bundled, ['--version']).status === 0) return bundled;
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  throw new SetupError('The npm package "node" did not install its program (are install scripts switched off?); use Node 24 or newer.');
}

/**
 * @param {{ programs?: string[], yes?: boolean }} options programs of Debian packages of the same name that are needed besides; whether
 * packages are installed without asking a person at the terminal
 * @throws SetupError with one line that says what to do
 */
export async function setUp({ programs = [], yes = false } = {}) {
  if (Number(process.versions.node.split('.')[0]) < 20) throw new SetupError(`Parlance needs Node 20 or newer; this is ${process.version}.`);
  await install(programs, yes);
  const { build } = await import('./build.mjs');
  await build();
}

/** Runs `main`, turning a SetupError into one line and exit code 1. */
export async function runScript(main) {
  try {
    await main();
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    say(error.message);
    process.exitCode = 1;
  }
}
