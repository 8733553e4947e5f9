import { describe, expect, it } from '@jest/globals';
import { clockTime, roundToMs, srtTimecode, vttTimecode } from './timecodes.js';

describe('timecodes', () => {
  it('write hours, minutes, seconds and milliseconds as each format wants', () => {
    expect(srtTimecode(3_723_004)).toBe('01:02:03,004');
    expect(vttTimecode(3_723_004)).toBe('01:02:03.004');
    expect(clockTime(3_723.999)).toBe('01:02:03');
  });

  it('go on after 99 hours', () => {
    expect(vttTimecode(100 * 3_600_000)).toBe('100:00:00.000');
  });

  it('round to milliseconds', () => {
    expect(roundToMs(0.1 + 0.2)).toBe(0.3);
  });
});
