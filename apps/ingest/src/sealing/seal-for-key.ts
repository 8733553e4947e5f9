import { calculateJwkThumbprint, CompactEncrypt, importJWK, type JWK } from 'jose';

/** The key agreement or the encryption of the content's key (RFC 7518), by the type of the public key. */
const ALGORITHMS: Readonly<Record<string, string>> = { OKP: 'ECDH-ES+A256KW', EC: 'ECDH-ES+A256KW', RSA: 'RSA-OAEP-256' };

/**
 * Seals JSON as a compact JWE (RFC 7516) that only the holder of the private key can open: content by AES-256-GCM, under a key that is made for it.
 * @param jwk a public JSON Web Key, as JSON; its `kid`, or else its thumbprint (RFC 7638), is in the header
 */
export async function sealForKey(json: Uint8Array, jwk: string): Promise<string> {
  const key = JSON.parse(jwk) as JWK;
  const alg = ALGORITHMS[key.kty ?? ''] ?? '';
  const header = { alg, enc: 'A256GCM', kid: key.kid ?? (await calculateJwkThumbprint(key)), cty: 'json' };
  return new CompactEncrypt(json).setProtectedHeader(header).encrypt(await importJWK(key, alg));
}
