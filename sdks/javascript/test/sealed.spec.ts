import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { CompactEncrypt, importJWK, type JWK } from 'jose';
import { newResultKey, openSealed } from '../src/sealed.js';

interface Vector {
  name: string;
  private_key: JWK;
  jwe: string;
  result: object;
}

const VECTORS = JSON.parse(readFileSync('sdks/conformance/sealed/jwcrypto.json', 'utf8')) as Vector[];

const seal = async (key: JWK, enc: string) => new CompactEncrypt(Buffer.from('{"job_id":"job_1"}')).setProtectedHeader({ alg: 'ECDH-ES+A256KW', enc }).encrypt(await importJWK(key, 'ECDH-ES+A256KW'));

describe('openSealed', () => {
  it.each(VECTORS)('opens what jwcrypto sealed for $name', async ({ private_key: key, jwe, result }) => {
    expect(await openSealed(jwe, key)).toEqual(result);
  });

  it('opens what is sealed for a new key, and nothing that is sealed for another one or otherwise', async () => {
    const { publicKey, privateKey } = await newResultKey();
    expect(publicKey).not.toHaveProperty('d');
    expect(await openSealed(await seal(publicKey, 'A256GCM'), privateKey)).toEqual({ job_id: 'job_1' });
    await expect(openSealed(await seal((await newResultKey()).publicKey, 'A256GCM'), privateKey)).rejects.toThrow();
    await expect(openSealed(await seal(publicKey, 'A128CBC-HS256'), privateKey)).rejects.toThrow();
  });
});
