import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { compactDecrypt, decodeProtectedHeader, importJWK, type JWK } from 'jose';
import { sealForKey } from './seal-for-key.js';

interface Vector {
  name: string;
  private_key: JWK;
  jwe: string;
  result: object;
}

/** Written by jwcrypto (Python), which shares no code with jose. */
const VECTORS = JSON.parse(readFileSync('sdks/conformance/sealed/jwcrypto.json', 'utf8')) as Vector[];

const publicOf = ({ kty, crv, x, y, n, e, kid }: JWK): JWK => Object.fromEntries(Object.entries({ kty, crv, x, y, n, e, kid }).filter(([, value]) => value !== undefined));

async function open(jwe: string, key: JWK): Promise<unknown> {
  const { alg = '' } = decodeProtectedHeader(jwe);
  const { plaintext } = await compactDecrypt(jwe, await importJWK(key, alg));
  return JSON.parse(new TextDecoder().decode(plaintext));
}

describe.each(VECTORS)('a result that is sealed for a key of $name', ({ name, private_key: key, jwe, result }) => {
  it('is opened by the private key, and has the header that other implementations write', async () => {
    const sealed = await sealForKey(Buffer.from(JSON.stringify(result)), JSON.stringify(publicOf(key)));
    expect(await open(sealed, key)).toEqual(result);
    const { epk: _epk, ...header } = decodeProtectedHeader(sealed);
    const { epk: _other, ...expected } = decodeProtectedHeader(jwe);
    expect(header).toEqual(expected);
    expect(header).toMatchObject({ alg: name === 'RSA' ? 'RSA-OAEP-256' : 'ECDH-ES+A256KW', enc: 'A256GCM', cty: 'json' });
  });

  it('names the key as its owner does', async () => {
    const sealed = await sealForKey(Buffer.from('{}'), JSON.stringify({ ...publicOf(key), kid: 'mine' }));
    expect(decodeProtectedHeader(sealed).kid).toBe('mine');
  });

  it('is opened by this library when jwcrypto sealed it', async () => {
    expect(await open(jwe, key)).toEqual(result);
  });
});
