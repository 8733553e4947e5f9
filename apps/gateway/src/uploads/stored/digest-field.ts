import { AppError } from '@parlance/platform';

/** A member of a Dictionary whose value is a Byte Sequence (RFC 8941, sections 3.2 and 3.3.5). */
const SHA_256 = /(?:^|,)[ \t]*sha-256=([^,]*)/;
/** 32 bytes in base64. */
const DIGEST = /^:([A-Za-z0-9+/]{43}=):[ \t]*$/;

/**
 * The SHA-256 digest that Content-Digest or Repr-Digest states (RFC 9530), in lower-case hexadecimal; undefined where they state
 * none, or by other algorithms only, which a recipient may ignore. @throws AppError malformed_request
 */
export function statedDigest(headers: Readonly<Record<string, string | string[] | undefined>>): string | undefined {
  const stated = ['content-digest', 'repr-digest'].flatMap((name) => digestOf(name, headers[name]) ?? []);
  if (new Set(stated).size > 1) throw malformed('Content-Digest and Repr-Digest contradict each other.');
  return stated[0];
}

function digestOf(name: string, value: string | string[] | undefined): string | undefined {
  const member = SHA_256.exec([value ?? []].flat().join(','))?.[1];
  if (member === undefined) return undefined;
  const base64 = DIGEST.exec(member)?.[1];
  if (base64 === undefined) throw malformed(`${name} must be sha-256=:<base64 of 32 bytes>: (RFC 9530).`);
  return Buffer.from(base64, 'base64').toString('hex');
}

const malformed = (message: string) => new AppError({ kind: 'invalid', code: 'malformed_request', message });
