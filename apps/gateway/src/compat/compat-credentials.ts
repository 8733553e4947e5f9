import { z } from 'zod';

export const anonymousKeyConfig = {
  ASR_ANONYMOUS_KEY: z
    .string()
    .regex(/^[\x21-\x7e]{20,200}$/, 'must be 20 to 200 visible ASCII characters')
    .optional()
    .describe('API key under which requests to /asr and /detect-language (whisper-asr-webservice) run that have none, for clients that cannot send one, such as Bazarr. Every client that reaches the server can then transcribe at the cost of its account: give the key a budget and only the scopes transcriptions:write and transcriptions:read. Requests of web pages still need a key. Default: requests without a key are refused'),
} as const;

/** Deepgram's scheme, whose case does not matter (RFC 9110, section 11.1). */
const TOKEN = /^Token +(\S+)$/i;
/** AssemblyAI's header has the key alone. */
const BARE = /^\S+$/;
/** RFC 7617: of clients whose only way to send a key is a user name and password in the URL. */
const BASIC = /^Basic +([A-Za-z0-9+/]+={0,2})$/i;

/** The Authorization header of a client of another vendor's API, in the form that our own API reads. Other forms stay as they are. */
export function bearerOf(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  const key = TOKEN.exec(authorization)?.[1] ?? BARE.exec(authorization)?.[0] ?? passwordOf(BASIC.exec(authorization)?.[1]);
  return key === undefined ? authorization : `Bearer ${key}`;
}

/** The password, or the user name where there is no password. */
function passwordOf(encoded: string | undefined): string | undefined {
  if (encoded === undefined) return undefined;
  const [user, ...password] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  return password.join(':') || user || undefined;
}
