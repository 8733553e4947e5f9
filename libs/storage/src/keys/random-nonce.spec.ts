import { randomBytes } from 'node:crypto';
import { expect, it, jest } from '@jest/globals';

let generated = Buffer.alloc(0);
jest.unstable_mockModule('node:crypto', () => ({
  randomFillSync: (bytes: Buffer) => {
    randomBytes(bytes.length).copy(bytes);
    generated = Buffer.concat([generated, bytes]);
  },
}));
const { randomNonce } = await import('./random-nonce.js');

it('gives the bytes of the generator in order, each once, and leaves out those that are too few at an end', () => {
  const nonces = Array.from({ length: 2000 }, (_, nth) => randomNonce([12, 16, 7][nth % 3] ?? 0));
  let end = 0;
  for (const nonce of nonces) {
    const from = generated.indexOf(nonce, end);
    expect(from - end).toBeGreaterThanOrEqual(0);
    expect(from - end).toBeLessThan(16);
    end = from + nonce.length;
  }
  expect(end).toBeGreaterThan(generated.length - 2048);
});

it('keeps what was given as it is', () => {
  const nonce = randomNonce(12);
  const before = nonce.toString('hex');
  for (let given = 0; given < 1000; given += 1) randomNonce(12);
  expect(nonce.toString('hex')).toBe(before);
});
