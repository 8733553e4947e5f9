import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const CHECK = fileURLToPath(new URL('plain-english.mjs', import.meta.url));

const PLANTED: [line: string, fault: string][] = [
  ['/** Of the last event. */', 'starts with the fragment "Of …"'],
  ['// Who reads it first.', 'starts with the fragment "Who …"'],
  ['/** Jobs in one call, */', 'ends in the middle of a sentence'],
  ['/** Removes the job after nobody reads it. */', 'says "nobody"'],
  ["log.info('the job goes on');", 'says "goes on"'],
  ['log.info(`${count} events were heard of`);', 'says "heard"'],
  ['const MOST_KNOWN = 5;', 'MOST_KNOWN starts with "MOST_"'],
  ['const PATIENCE_MS = 5;', 'PATIENCE_MS contains "patience"'],
  ['function goOnWith() {}', 'goOnWith contains "goOn"'],
  ['interface EmbedderSurroundings { name: string }', 'EmbedderSurroundings contains "Surroundings"'],
];
const PLAIN = [
  '/**',
  ' * Aborts when the client disconnects or the server shuts down.',
  ' * @returns of what it was told',
  ' */',
  "const MAX_KNOWN = list.mostRecent; // Who waits? The caller.",
  "export const unit = 'goes on';",
  'export const recommended = MAX_KNOWN;',
].join('\n');

describe('the check of plain English', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'plain-english-'));
    spawnSync('git', ['init', '-q', folder]);
    mkdirSync(join(folder, 'libs/planted'), { recursive: true });
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const write = (name: string, text: string) => writeFileSync(join(folder, 'libs/planted', name), text);
  const check = (...options: string[]) => {
    const args = [CHECK, '--folder', folder, '--baseline', join(folder, 'baseline.json'), ...options];
    return spawnSync(process.execPath, args, { encoding: 'utf8', env: { ...process.env, NODE_OPTIONS: '' } });
  };

  it('finds each planted fault with its line, and nothing in plain text', () => {
    write('planted.ts', PLANTED.map(([line]) => line).join('\n\n'));
    write('plain.ts', PLAIN);
    const { status, stderr } = check();
    expect(status).toBe(1);
    PLANTED.forEach(([, fault], index) => expect(stderr).toContain(`planted.ts:${index * 2 + 1}: ${fault}\n`));
    expect(stderr.match(/\.ts:\d+: /gu)).toHaveLength(PLANTED.length);
    expect(stderr).not.toContain('plain.ts');
  });

  it('reads the comments, messages and names of PHP', () => {
    mkdirSync(join(folder, 'sdks/php'), { recursive: true });
    const planted = ['<?php', '/** Of the last event. */', '#[Told]', '# Nobody reads it.', "throw new Error('the job goes on', \"it\\\"s // no comment\");", '$goOn = 1; // The rest is read.', 'const MOST_KNOWN = 5;'];
    writeFileSync(join(folder, 'sdks/php/planted.php'), planted.join('\n'));
    const { status, stderr } = check();
    expect(status).toBe(1);
    expect(stderr.match(/planted\.php:.*/gu)?.slice(1)).toEqual([
      'planted.php:2: starts with the fragment "Of …"',
      'planted.php:4: says "nobody"',
      'planted.php:5: says "goes on"',
      'planted.php:6: goOn contains "goOn"',
      'planted.php:7: MOST_KNOWN starts with "MOST_"',
    ]);
  });

  it('reads documents and the comments of chart values as well', () => {
    write('README.md', 'The job is done.\nNobody waits.');
    mkdirSync(join(folder, 'helm'));
    writeFileSync(join(folder, 'helm/values.yaml'), 'told: 1 # Whoever calls is told.\n');
    const { stderr } = check();
    expect(stderr).toMatch(/README\.md:2: says "nobody"\n/u);
    expect(stderr).toMatch(/values\.yaml:1: says "whoever"\n.*values\.yaml:1: says "told"\n/u);
  });

  it('accepts as many faults as are recorded, and fails when a file has more or fewer', () => {
    const [first, second] = PLANTED.map(([line]) => `${line}\n\n`);
    write('planted.ts', `${first}`);
    check('--update');
    expect(check().status).toBe(0);
    write('planted.ts', `${first}${second}`);
    expect(check()).toMatchObject({ status: 1, stderr: expect.stringContaining('2 faults, 1 are recorded') });
    write('planted.ts', PLAIN);
    expect(check()).toMatchObject({ status: 1, stderr: expect.stringContaining('1 faults are recorded, 0 are left') });
  });

  it('records fewer faults or the same in other files, but never more', () => {
    const [first, second] = PLANTED.map(([line]) => `${line}\n\n`);
    const recorded = () => JSON.parse(readFileSync(join(folder, 'baseline.json'), 'utf8')) as unknown;
    write('planted.ts', `${first}`);
    check('--update');
    write('planted.ts', PLAIN);
    write('moved.ts', `${first}`);
    expect(check('--update').status).toBe(0);
    expect(recorded()).toEqual({ 'libs/planted/moved.ts': 1 });
    write('moved.ts', `${first}${second}`);
    expect(check('--update')).toMatchObject({ status: 1, stderr: expect.stringContaining('the number may not rise') });
    expect(recorded()).toEqual({ 'libs/planted/moved.ts': 1 });
  });
});
