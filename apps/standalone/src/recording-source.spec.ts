import { chmod, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { displayNames, problemOf } from './recording-source.js';

const NOBODY = 65_534;

describe('what is given as a recording', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-source-'));
    await chmod(folder, 0o755);
    await writeFile(join(folder, 'talk.mp3'), 'sound');
    await symlink(join(folder, 'talk.mp3'), join(folder, 'link.mp3'));
    await symlink(join(folder, 'loop'), join(folder, 'loop'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('may be a file, a link to one, or an address', async () => {
    for (const source of [join(folder, 'talk.mp3'), join(folder, 'link.mp3'), 'http://host/x', 'HTTPS://host/x']) {
      expect([source, await problemOf(source)]).toEqual([source, undefined]);
    }
  });

  it('is named when it is not there or turns round', async () => {
    expect(await problemOf(join(folder, 'gone.mp3'))).toMatch(/gone\.mp3 does not exist; give the path/);
    expect(await problemOf(join(folder, 'talk.mp3', 'more'))).toMatch(/does not exist/);
    expect(await problemOf(join(folder, 'loop'))).toMatch(/loop cannot be read \(ELOOP\)/);
    expect(await problemOf('')).toMatch(/An argument is empty/);
  });

  it('must be readable by the user', async () => {
    await chmod(join(folder, 'talk.mp3'), 0);
    const isRoot = process.getuid?.() === 0;
    if (isRoot) process.seteuid?.(NOBODY);
    try {
      expect(await problemOf(join(folder, 'talk.mp3'))).toMatch(/talk\.mp3 may not be read by this user/);
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  });
});

it('recordings are called by their file, or as given where that is not one alone', () => {
  expect(displayNames(['day1/talk.mp3', 'day2/talk.mp3', 'x/other.wav', 'https://me:secret@host/a.mp3?token=t'])).toEqual([
    'day1/talk.mp3',
    'day2/talk.mp3',
    'other.wav',
    'https://host/a.mp3',
  ]);
  expect(displayNames(['http://host/t?day=1', 'http://host/t?day=2'])).toEqual(['http://host/t (1)', 'http://host/t (2)']);
  expect(displayNames(['talk.mp3', 'talk.mp3'])).toEqual(['talk.mp3 (1)', 'talk.mp3 (2)']);
});
