import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

/** The first stopped all services for 19 s; each is planted in the way that code writes such patterns. */
const PLANTED = [
  String.raw`export const split = (text: string) => text.split(/;(?=(?:[^"]*"[^"]*")*[^"]*$)/);`,
  String.raw`const PART = '(?:a|a)*'; export const assembled = new RegExp(PART + 'b$');`,
  String.raw`const WORDS = String.raw${'`'}\s+${'`'}; export const inTemplate = new RegExp(${'`'}${'$'}{WORDS}$${'`'}, 'u');`,
];
const LINEAR = String.raw`export const fine = [/^[a-z]{1,64}$/, new RegExp('^' + 'a+' + '$')];`;

describe('the check of regular expressions', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'planted-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const check = async (lines: readonly string[]) => {
    await writeFile(join(folder, 'planted.ts'), lines.join('\n'));
    return spawnSync(process.execPath, [fileURLToPath(new URL('regular-expressions.mjs', import.meta.url)), folder], { encoding: 'utf8', env: { ...process.env, NODE_OPTIONS: '' } });
  };

  it('finds each expression of more than linear time, with its line', async () => {
    const { status, stderr, stdout } = await check([...PLANTED, LINEAR]);
    expect([status, stdout.trim()]).toEqual([1, '5 regular expressions, 3 refused']);
    for (const line of [1, 2, 3]) expect(stderr).toMatch(new RegExp(`planted\\.ts:${line}: .* takes more than linear time`));
  });

  it('accepts those of linear time', async () => {
    expect((await check([LINEAR])).status).toBe(0);
  });
});
