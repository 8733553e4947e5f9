import { generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { resultKey } from './result-key.js';

const jwk = (pair: { publicKey: { export(options: { format: 'jwk' }): JsonWebKey } }) => pair.publicKey.export({ format: 'jwk' });
const X25519 = jwk(generateKeyPairSync('x25519'));
const P256 = jwk(generateKeyPairSync('ec', { namedCurve: 'P-256' }));
const RSA = jwk(generateKeyPairSync('rsa', { modulusLength: 2048 }));
const problemsOf = (key: object) => resultKey.safeParse(key).error?.issues.map(({ message }) => message) ?? [];

describe('a result_key', () => {
  it.each([['X25519', X25519], ['P-256', P256], ['RSA', RSA]])('of %s is accepted, and only its public members and its name are kept', (_name, key) => {
    expect(JSON.parse(resultKey.parse({ ...key, kid: 'mine', use: 'enc', key_ops: ['deriveKey'], note: 'ours' }))).toEqual({ ...key, kid: 'mine' });
  });

  it('with a private member is refused, whatever its kind', () => {
    for (const key of [X25519, P256, RSA]) expect(problemsOf({ ...key, d: 'AAAA' })).toEqual([expect.stringContaining('private')]);
  });

  it.each<[string, object, string]>([
    ['a key for signatures', jwk(generateKeyPairSync('ed25519')), 'X25519'],
    ['a curve that is not supported', jwk(generateKeyPairSync('ec', { namedCurve: 'P-521' })), 'P-256'],
    ['a type that is not supported', { kty: 'oct' }, 'kty'],
    ['a name of a prototype as type', { kty: 'constructor' }, 'kty'],
    ['a short RSA key', jwk(generateKeyPairSync('rsa', { modulusLength: 1024 })), '2048'],
    ['an RSA key that encrypts nothing', { ...RSA, e: 'AQ' }, '65537'],
    ['a point of small order', { ...X25519, x: Buffer.alloc(32).toString('base64url') }, 'not those of a key'],
    ['a point beside the curve', { ...P256, y: P256.x }, 'not those of a key'],
    ['a member of another type', { ...X25519, x: 7 }, 'x must be'],
    ['a name that is no text', { ...X25519, kid: {} }, 'kid must be'],
    ['another use', { ...X25519, use: 'sig' }, 'use must be'],
    ['another algorithm', { ...RSA, alg: 'RSA1_5' }, 'RSA-OAEP-256'],
  ])('is refused: %s', (_name, key, reason) => {
    expect(problemsOf(key)).toEqual([expect.stringContaining(reason)]);
  });
});
