import { createPublicKey, diffieHellman, generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto';
import { z } from 'zod';

/** RSA bits that are accepted: fewer can be broken, and more only cost time. */
const MIN_RSA_BITS = 2048;
const MAX_RSA_BITS = 8192;
const MIN_RSA_EXPONENT = 65_537n;

/** The members that make up a public key, by its type (RFC 7518, RFC 8037). */
const PUBLIC_MEMBERS = { OKP: ['crv', 'x'], EC: ['crv', 'x', 'y'], RSA: ['n', 'e'] } as const;
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];
const MAX_MEMBER = 2048;

type Jwk = Record<string, unknown>;

/** A public JSON Web Key that results can be sealed for. Its output is the JSON of its public members, and of no others. */
export const resultKey = z
  .record(z.string(), z.unknown())
  .superRefine((jwk, context) => {
    const problem = problemOf(jwk);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem, params: { code: 'result_key_unsupported' } });
  })
  .transform((jwk) => JSON.stringify(publicPart(jwk)))
  .meta({ id: 'ResultKey', description: 'A public JWK (X25519, P-256, RSA from 2,048 bits) that the results are sealed for (`getSealedResult`). Text and recording are never shown, and are erased at the end of the job.', override: { type: 'object', additionalProperties: true, propertyNames: undefined } });

const isKeyType = (kty: unknown): kty is keyof typeof PUBLIC_MEMBERS => typeof kty === 'string' && Object.hasOwn(PUBLIC_MEMBERS, kty);

/** @returns what is wrong with the key, for its owner */
function problemOf(jwk: Jwk): string | undefined {
  const { kty, alg, use, kid } = jwk;
  if (PRIVATE_MEMBERS.some((name) => name in jwk)) return 'This is a private or secret key. Send its public part; this one was not stored.';
  if (!isKeyType(kty)) return 'kty must be OKP, EC or RSA.';
  const members = [...PUBLIC_MEMBERS[kty], ...(kid === undefined ? [] : ['kid'])];
  const unusable = members.find((name) => typeof jwk[name] !== 'string' || jwk[name].length > MAX_MEMBER);
  if (unusable !== undefined) return `${unusable} must be a string.`;
  if (alg !== undefined && alg !== algorithmOf(kty)) return `alg must be ${algorithmOf(kty)} for this key.`;
  if (use !== undefined && use !== 'enc') return 'use must be enc: the key is for encryption.';
  return unsafe(jwk, kty);
}

const algorithmOf = (kty: keyof typeof PUBLIC_MEMBERS): string => (kty === 'RSA' ? 'RSA-OAEP-256' : 'ECDH-ES+A256KW');

function unsafe(jwk: Jwk, kty: keyof typeof PUBLIC_MEMBERS): string | undefined {
  if (kty === 'OKP' && jwk.crv !== 'X25519') return 'crv must be X25519.';
  if (kty === 'EC' && jwk.crv !== 'P-256') return 'crv must be P-256.';
  try {
    const key = createPublicKey({ key: publicPart(jwk) as JsonWebKey, format: 'jwk' });
    return kty === 'RSA' ? weakRsa(key) : agreementProblem(key);
  } catch {
    return 'The members are not those of a key.';
  }
}

function weakRsa({ asymmetricKeyDetails: { modulusLength = 0, publicExponent = 0n } = {} }: KeyObject): string | undefined {
  if (modulusLength < MIN_RSA_BITS || modulusLength > MAX_RSA_BITS) return `The key must have ${MIN_RSA_BITS} to ${MAX_RSA_BITS} bits.`;
  return publicExponent < MIN_RSA_EXPONENT ? 'e must be 65537 or more.' : undefined;
}

/** Agrees on a secret once: a point of small order is refused by that alone. @throws Error */
function agreementProblem(publicKey: KeyObject): undefined {
  const { privateKey } = publicKey.asymmetricKeyType === 'ec' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : generateKeyPairSync('x25519');
  diffieHellman({ privateKey, publicKey });
}

function publicPart(jwk: Jwk): Jwk {
  const names = isKeyType(jwk.kty) ? ['kty', ...PUBLIC_MEMBERS[jwk.kty], 'kid'] : [];
  return Object.fromEntries(names.flatMap((name) => (jwk[name] === undefined ? [] : [[name, jwk[name]]])));
}
