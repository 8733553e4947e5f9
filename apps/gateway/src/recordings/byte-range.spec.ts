import { describe, expect, it } from '@jest/globals';
import { byteRange, isRangeCurrent } from './byte-range.js';

describe('the range of a request', () => {
  it.each([
    ['bytes=0-0', { start: 0, end: 1 }],
    ['bytes=10-', { start: 10, end: 100 }],
    ['bytes=10-1000', { start: 10, end: 100 }],
    ['bytes=-30', { start: 70, end: 100 }],
    ['bytes=-1000', { start: 0, end: 100 }],
    [undefined, undefined],
    ['bytes=0-1,5-6', undefined],
    ['bytes=9-3', undefined],
    ['seconds=1-2', undefined],
    ['bytes=-', undefined],
  ])('%s of 100 bytes is %j', (header, range) => {
    expect(byteRange(header, 100)).toEqual(range);
  });

  it.each(['bytes=100-', 'bytes=200-300', 'bytes=-0'])('%s of 100 bytes cannot be sent', (header) => {
    expect(() => byteRange(header, 100)).toThrow(expect.objectContaining({ code: 'range_not_satisfiable' }));
  });

  it('counts while the file is the one that If-Range names', () => {
    expect([isRangeCurrent(undefined, '"a"'), isRangeCurrent('"a"', '"a"'), isRangeCurrent('"b"', '"a"'), isRangeCurrent('Tue, 24 Nov 2026 08:00:00 GMT', '"a"')]).toEqual([true, true, false, false]);
  });
});
