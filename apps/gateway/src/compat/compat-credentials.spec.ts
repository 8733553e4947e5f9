import { describe, expect, it } from '@jest/globals';
import { bearerOf } from './compat-credentials.js';

describe('the key of a client of another vendor’s API', () => {
  it.each([
    ['OpenAI’s scheme', 'Bearer par_abc', 'Bearer par_abc'],
    ['Deepgram’s scheme', 'Token par_abc', 'Bearer par_abc'],
    ['Deepgram’s scheme in lower case', 'token par_abc', 'Bearer par_abc'],
    ['a key alone, as AssemblyAI’s clients send it', 'par_abc', 'Bearer par_abc'],
    ['the password of a URL', `Basic ${Buffer.from('any:par_abc').toString('base64')}`, 'Bearer par_abc'],
    ['the user name of a URL without a password', `Basic ${Buffer.from('par_abc:').toString('base64')}`, 'Bearer par_abc'],
    ['an empty user name and password, left for the guard to refuse', `Basic ${Buffer.from(':').toString('base64')}`, `Basic ${Buffer.from(':').toString('base64')}`],
    ['an unknown scheme, left for the guard to refuse', 'Digest a=b c=d', 'Digest a=b c=d'],
  ])('is read from %s', (_name, header, expected) => {
    expect(bearerOf(header)).toBe(expected);
  });

  it('is not there without a header', () => {
    expect(bearerOf(undefined)).toBeUndefined();
  });
});
