import { expect, test } from '@jest/globals';
import { giveBack } from './read-object.js';

test('bytes that have their memory alone are gone when it is given back', () => {
  const bytes = new Uint8Array(100_000);
  giveBack(bytes);
  expect(bytes.byteLength).toBe(0);
});

test('bytes that share their memory stay', () => {
  const whole = new Uint8Array(100_000).fill(7);
  const part = whole.subarray(0, 50_000);
  giveBack(part);
  const shared = new Uint8Array(new SharedArrayBuffer(8));
  giveBack(shared);
  expect([part[0], whole[99_999], shared.byteLength]).toEqual([7, 7, 8]);
});
