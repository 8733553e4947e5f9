import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const SET_UP = join(process.cwd(), 'scripts', 'setup.mjs');

/** A machine without ffmpeg whose apt-get only notes how it was called. */
let programs: string;
const calls = () => join(programs, 'calls');
beforeEach(() => {
  programs = mkdtempSync(join(tmpdir(), 'parlance-setup-'));
  for (const [name, body] of [['apt-get', `echo "$*" >> ${calls()}`], ['sudo', 'if [ "$1" = -n ]; then shift; fi; [ "$1" = true ] || "$@"']] as const) {
    writeFileSync(join(programs, name), `#!/bin/sh\n${body}\n`);
    chmodSync(join(programs, name), 0o755);
  }
  symlinkSync('/bin/sh', join(programs, 'sh'));
});
afterEach(() => rmSync(programs, { recursive: true }));

const INSTALL = 'installPrograms';
const install = (yes: boolean) =>
  `env PATH=${programs} ${process.execPath} -e "import('${SET_UP}').then((s) => s.${INSTALL}([], ${yes})).catch((error) => console.log('refused', error.message))"`;

/** With a terminal, as `script` of util-linux makes one. @param answer a line */
function atTerminal(answer: string, yes = false): string {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => name !== 'CI' && name !== 'NODE_OPTIONS'));
  return spawnSync('script', ['-qec', install(yes), '/dev/null'], { input: `${answer}\n`, encoding: 'utf8', env }).stdout;
}

const onLinux = process.platform === 'linux' ? describe : describe.skip;

onLinux('set-up that needs system packages', () => {
  it('asks a person at a terminal, and installs nothing after a no', () => {
    const said = atTerminal('n');
    expect(said).toMatch(/Install the system packages ffmpeg.* with apt-get\? \[Y\/n\]/);
    expect(said).toContain('refused Parlance needs ffmpeg');
    expect(existsSync(calls())).toBe(false);
  });

  it('installs them after a yes, and without a question after --yes', () => {
    atTerminal('y');
    expect(readFileSync(calls(), 'utf8')).toContain('install -y --no-install-recommends ffmpeg');
    rmSync(calls());
    expect(atTerminal('', true)).not.toContain('[Y/n]');
    expect(existsSync(calls())).toBe(true);
  });

  it('goes on as before where nobody could answer', () => {
    spawnSync('sh', ['-c', install(false)], { input: '' });
    expect(existsSync(calls())).toBe(true);
  });
});
