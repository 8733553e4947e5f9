import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { fromPath } from '../src/node.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'from-path-'));
});
afterAll(() => rm(folder, { recursive: true }));

it('a pipe is refused at once, also while nothing writes into it', async () => {
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  await expect(fromPath(pipe)).rejects.toThrow(`${pipe} is not a regular file. Pass the stream of a pipe`);
});

it('a folder is refused, and a path that does not exist has the error of the system', async () => {
  await expect(fromPath(folder)).rejects.toThrow('is not a regular file');
  await expect(fromPath(join(folder, 'none'))).rejects.toMatchObject({ code: 'ENOENT', path: join(folder, 'none') });
});
