import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { fingerprint, fingerprintInTurns } from './fingerprint.js';

describe('the fingerprint of a request', () => {
  it('is that of its JSON with sorted members, which stored records rely on', () => {
    const request = { b: [1, { d: null, c: 'x' }, [], {}], a: true };
    const sorted = '{"a":true,"b":[1,{"c":"x","d":null},[],{}]}';
    expect(fingerprint(request)).toBe(createHash('sha256').update(sorted).digest('hex'));
  });

  it('is the same when it is made in turns', async () => {
    const form = { form: Object.fromEntries(Array.from({ length: 4 }, (_, nth) => [`field_${nth}`, '\u0001'.repeat(100_000)])), file: null };
    expect(await fingerprintInTurns(form)).toBe(fingerprint(form));
  });

  it('leaves the event loop to others while a large form is hashed', async () => {
    let turns = 0;
    const counting = setInterval(() => (turns += 1), 0);
    await fingerprintInTurns({ form: Object.fromEntries(Array.from({ length: 16 }, (_, nth) => [`field_${nth}`, 'x'.repeat(2 ** 18)])) });
    clearInterval(counting);
    expect(turns).toBeGreaterThan(1);
  });
});
