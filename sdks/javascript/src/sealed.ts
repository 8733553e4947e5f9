import { compactDecrypt, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import type { Schemas } from './schemas.js';

/** The results of a job with a `result_key`. What it was created without, or what failed, is missing. */
export interface SealedResult {
  job_id: string;
  created_at: string;
  transcript: Schemas['Transcript'];
  summary?: Partial<Schemas['Summary']>;
  highlights?: Schemas['Highlights'];
  chapters?: Schemas['Chapters'];
  entities?: Schemas['Entities'];
  exports: Record<'txt' | 'srt' | 'vtt', string>;
}

const ALGORITHM = 'ECDH-ES+A256KW';

/** The algorithms that the server seals with: nothing else is opened, whatever the header says. */
const ALLOWED = { keyManagementAlgorithms: [ALGORITHM, 'RSA-OAEP-256'], contentEncryptionAlgorithms: ['A256GCM'] };

/** A new key pair, of X25519: `publicKey` is the `result_key` of jobs. Without `privateKey` their results cannot be opened, by anybody. */
export async function newResultKey(): Promise<{ publicKey: JWK; privateKey: JWK }> {
  const pair = await generateKeyPair(ALGORITHM, { crv: 'X25519', extractable: true });
  return { publicKey: await exportJWK(pair.publicKey), privateKey: await exportJWK(pair.privateKey) };
}

/**
 * Opens the sealed results of a job, as `transcriptions.sealed` or the `sealed_result` of a webhook give them.
 * @param privateKey the JWK whose public part was the `result_key`
 * @throws an error of jose when the key is another one, or the results were changed
 */
export async function openSealed(jwe: string, privateKey: JWK): Promise<SealedResult> {
  const key = await importJWK(privateKey, privateKey.kty === 'RSA' ? 'RSA-OAEP-256' : ALGORITHM);
  const { plaintext } = await compactDecrypt(jwe, key, ALLOWED);
  return JSON.parse(new TextDecoder().decode(plaintext)) as SealedResult;
}
