import { describe, expect, it } from '@jest/globals';
import { isStaleUpload, THIS_PROCESS, uploadName } from './upload-owner.js';

const HOUR = 60 * 60 * 1000;
/** No process has it: Linux counts to 2^22 at most. */
const DEAD_PID = 2 ** 22 + 1;

describe('isStaleUpload', () => {
  const stale = (owner: Partial<typeof THIS_PROCESS>, ageMs: number) => isStaleUpload(uploadName({ ...THIS_PROCESS, ...owner }), ageMs, THIS_PROCESS);

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
