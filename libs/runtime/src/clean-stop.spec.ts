import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { markCleanStop, takeCleanStop } from './clean-stop.js';

describe('the marker of a stop in order', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-stop-'));
    await mkdir(join(folder, 'run'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('is missing before the first stop', async () => {
    expect(await takeCleanStop(folder)).toBe(false);
  });

  it('counts for one start: a process that dies leaves none', async () => {
    await markCleanStop(folder);
    expect(await takeCleanStop(folder)).toBe(true);
    expect(await takeCleanStop(folder)).toBe(false);
  });
});
