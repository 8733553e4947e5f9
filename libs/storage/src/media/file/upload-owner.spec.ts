import { describe, expect, it } from '@jest/globals';
import { isStaleUpload, isUploadBelow, THIS_PROCESS, uploadName } from './upload-owner.js';

const HOUR = 60 * 60 * 1000;
/** No process has it: Linux counts to 2^22 at most. */
const DEAD_PID = 2 ** 22 + 1;

describe('isStaleUpload', () => {
  const stale = (owner: Partial<typeof THIS_PROCESS>, ageMs: number) => isStaleUpload(uploadName({ ...THIS_PROCESS, ...owner }, 'acc/job'), ageMs, THIS_PROCESS);

  it('leaves what this process, or another that lives, is writing', () => {
    expect(stale({}, HOUR)).toBe(false);
    expect(stale({ pid: process.ppid, run: 'other' }, HOUR)).toBe(false);
  });

  it('finds what a process that is gone has left, also when this one has got its number', () => {
    expect(stale({ pid: DEAD_PID, run: 'other' }, 0)).toBe(true);
    expect(stale({ run: 'earlier' }, 0)).toBe(true);
  });

  it('gives other hosts a day', () => {
    expect(stale({ host: 'other', pid: DEAD_PID }, 23 * HOUR)).toBe(false);
    expect(stale({ host: 'other', pid: DEAD_PID }, 25 * HOUR)).toBe(true);
  });
});

describe('isUploadBelow', () => {
  const below = (folder: string, prefix: string) => isUploadBelow(uploadName(THIS_PROCESS, folder), prefix);

  it('finds the uploads whose key begins with the prefix', () => {
    expect(below('acc/job/audio', 'acc/job/')).toBe(true);
    expect(below('acc/job', 'acc/job/')).toBe(true);
    expect(below('acc/job2', 'acc/job/')).toBe(false);
    expect(below('acc', 'acc/job/')).toBe(false);
    expect(below('other/acc/job', 'acc/job/')).toBe(false);
  });

  it('finds all those whose folder is too long for a name', () => {
    const long = Array.from({ length: 5 }, (_, index) => String(index).repeat(100)).join('/');
    expect(below(long, `${long}/`)).toBe(true);
    expect(below(long, `${long.slice(0, 100)}/`)).toBe(true);
    expect(below(long, 'acc/')).toBe(false);
  });
});
