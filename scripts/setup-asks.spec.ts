import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

/** A fresh checkout on a machine without ffmpeg, whose npm and apt-get only note how they were called. */
let folder: string;
const at = (...names: string[]) => join(folder, ...names);
const calls = () => (existsSync(at('calls')) ? readFileSync(at('calls'), 'utf8') : '');

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parlance-setup-'));
  for (const name of ['bin', 'scripts', 'node_modules']) mkdirSync(at(name));
  copyFileSync(join(process.cwd(), 'scripts', 'setup.mjs'), at('scripts', 'setup.mjs'));
  writeFileSync(at('scripts', 'build.mjs'), 'export async function build() {}\n');
  writeFileSync(at('package-lock.json'), '{}\n');
  const note = (name: string) => `echo "${name} $*" >> ${at('calls')}`;
  const programs = { npm: note('npm'), 'apt-get': note('apt-get'), sudo: 'if [ "$1" = -n ]; then shift; fi; [ "$1" = true ] || "$@"' };
  for (const [name, body] of Object.entries(programs)) {
    writeFileSync(at('bin', name), `#!/bin/sh\n${body}\n`);
    chmodSync(at('bin', name), 0o755);
  }
  symlinkSync('/bin/sh', at('bin', 'sh'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const setUp = (yes: boolean) =>
  `env -u npm_execpath PATH=${at('bin')} ${process.execPath} -e "import('${at('scripts', 'setup.mjs')}').then((s) => s.setUp({ yes: ${yes} })).catch((error) => console.log('refused', error.message))"`;

const environment = (further: Record<string, string> = {}) => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => name !== 'CI' && name !== 'NODE_OPTIONS')),
  ...further,
});

/** With a terminal, as `script` of util-linux makes one. @param answer a line */
const atTerminal = (answer: string, { yes = false, env = {} } = {}): string =>
  spawnSync('script', ['-qec', setUp(yes), '/dev/null'], { input: `${answer}\n`, encoding: 'utf8', env: environment(env) }).stdout;

const onLinux = process.platform === 'linux' ? describe : describe.skip;

onLinux('set-up on a fresh machine', () => {
  it('asks a person at a terminal once for everything, and installs nothing after a no', () => {
    const said = atTerminal('n');
    expect(said.match(/\[Y\/n\]/g)).toHaveLength(1);
    expect(said).toMatch(/Install the npm packages of package-lock\.json into node_modules, and the system packages ffmpeg.* with apt-get\? \[Y\/n\]/);
    expect(said).toContain('refused Parlance needs ffmpeg');
    expect(calls()).toBe('');
  });

  it('installs everything after a yes, and asks for what is missing only', () => {
    atTerminal('y');
    expect(calls()).toMatch(/^npm ci .*\napt-get update\napt-get install -y --no-install-recommends ffmpeg/);
    rmSync(at('calls'));
    // The npm packages are there now.
    expect(atTerminal('n')).toMatch(/Install the system packages ffmpeg/);
    expect(calls()).toBe('');
  });

  it('asks for npm packages alone where the system packages are there', () => {
    for (const name of ['ffmpeg', 'ffprobe']) {
      writeFileSync(at('bin', name), '#!/bin/sh\n');
      chmodSync(at('bin', name), 0o755);
    }
    const said = atTerminal('n', { env: { SPEECH_ENGINE_URL: 'fixture:' } });
    expect(said).toMatch(/Install the npm packages of package-lock\.json into node_modules\? \[Y\/n\]/);
    expect(said).toContain('refused Nothing was installed.');
    expect(calls()).toBe('');
  });

  it.each([
    ['after --yes', () => atTerminal('', { yes: true })],
    ['in CI', () => atTerminal('', { env: { CI: 'true' } })],
    ['on a pipe', () => spawnSync('sh', ['-c', setUp(false)], { input: '', encoding: 'utf8', env: environment() }).stderr],
  ])('asks nothing %s', (_where, run) => {
    expect(run()).not.toContain('[Y/n]');
    expect(calls()).toMatch(/^npm ci .*\napt-get update\napt-get install/);
  });
});
