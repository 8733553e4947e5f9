import type { FastifyRequest } from 'fastify';

/** By which pages send a key, as browsers set no headers of a WebSocket. */
const KEY_PROTOCOL = 'openai-insecure-api-key.';
const BETA_PROTOCOL = 'openai-beta.realtime-v1';
/** Between an ephemeral key and the session that was chosen when it was made. */
const SEPARATOR = '.';

interface RealtimeCredentials {
  apiKey: string | undefined;
  /** The session that the key was made for, as its maker wrote it. */
  session: unknown;
  isBeta: boolean;
}

/** An ephemeral key with its session, in characters that a subprotocol may have. */
export const ephemeralKey = (token: string, session: unknown): string => token + SEPARATOR + Buffer.from(JSON.stringify(session)).toString('base64url');

/** The key and the form of the protocol that a client chose. */
export function realtimeCredentials({ headers }: Pick<FastifyRequest, 'headers'>): RealtimeCredentials {
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((protocol) => protocol.trim());
  const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  const presented = bearer ?? offered.find((protocol) => protocol.startsWith(KEY_PROTOCOL))?.slice(KEY_PROTOCOL.length);
  const end = presented?.startsWith('plt_') ? presented.indexOf(SEPARATOR) : -1;
  const isBeta = headers['openai-beta'] === 'realtime=v1' || offered.includes(BETA_PROTOCOL);
  return { apiKey: end < 0 ? presented : presented?.slice(0, end), session: end < 0 ? undefined : sessionIn(presented?.slice(end + 1) ?? ''), isBeta };
}

/** Undefined where it is no session: its client updates the default one. */
function sessionIn(encoded: string): unknown {
  try {
    return JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}
