import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const script = fileURLToPath(new URL('./scan-binaries.mjs', import.meta.url));
let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'parlance-scan-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function plant(path: string, text: string, entry: object = {}): void {
  mkdirSync(join(root, path), { recursive: true });
  writeFileSync(join(root, path, 'lib.so.1'), `\x7fELF\0\xff${text}\0`, 'latin1');
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages: { [path]: entry } }));
}

function scan(notice: string) {
  writeFileSync(join(root, 'NOTICE'), notice);
  const { status, stderr, stdout } = spawnSync(process.execPath, [script, root], { encoding: 'utf8' });
  return { status, said: stderr + stdout };
}

describe('the scan of binaries', () => {
  it.each([
    ['espeak_Initialize', 'espeak-ng'],
    ['fftwf_plan_dft_1d', 'fftw'],
    ['x264_encoder_open_164', 'x264'],
    ['rl_readline_name', 'readline'],
    ['under the terms of the GNU General Public License', 'a notice of the GPL'],
  ])('fails on %s in a package that ships', (symbol, library) => {
    plant('node_modules/voices', symbol);
    expect(scan('Parlance')).toEqual({ status: 1, said: expect.stringContaining(`node_modules/voices/lib.so.1: ${library}`) });
  });

  it('passes what NOTICE declares for that package, and only for that package', () => {
    plant('node_modules/a/node_modules/@scope/voices', 'espeak_Initialize');
    expect(scan('The npm package @scope/voices\n  contains espeak-ng.').status).toBe(0);
    expect(scan('The npm package @scope/voices-2\n  contains espeak-ng.').status).toBe(1);
    expect(scan('@scope/voices\n\nespeak-ng').status).toBe(1);
  });

  it('does not take the name of a codec for its code', () => {
    plant('node_modules/runtime', 'video/x264 libfftw espeak');
    expect(scan('Parlance').status).toBe(0);
  });

  it('fails when there is nothing to scan, so that an empty installation does not pass', () => {
    plant('node_modules/voices', 'espeak_Initialize', { dev: true });
    expect(scan('Parlance').status).toBe(1);
  });
});
