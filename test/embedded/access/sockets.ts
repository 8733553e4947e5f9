import { WebSocket } from 'ws';
import type { PlantedAccount } from './planted-account.js';

interface Socket {
  path(planted: PlantedAccount): string;
  /** Whether all messages have come that come without audio. */
  isWhole(messages: readonly string[]): boolean;
  /** Sent once it is open, so that the server answers. */
  greeting?: string;
}

/** The sockets by their paths. */
export const SOCKETS: Readonly<Record<string, Socket>> = {
  'GET /api/v1/live/{id}/socket (WebSocket)': {
    path: ({ ids }) => `/api/v1/live/${ids['live_id']}/socket?after=0`,
    isWhole: (messages) => messages.some((text) => text.includes('"final"')),
  },
  'GET /compat/deepgram/v1/listen (WebSocket)': { path: () => '/compat/deepgram/v1/listen?encoding=linear16&sample_rate=16000', isWhole: (messages) => messages.length > 0, greeting: '{"type":"CloseStream"}' },
  'GET /v1/realtime (WebSocket)': { path: () => '/v1/realtime?intent=transcription', isWhole: (messages) => messages.length > 0 },
};

/** HTTP statuses and close codes of a caller that is not let in. */
const REFUSED = new Set([401, 403, 404, 4401, 4403, 4404]);

/** Connects, and reads what comes without audio. @param key sent as a key; undefined: none */
export async function connected(name: string, planted: PlantedAccount, key: string | undefined): Promise<{ isRefused: boolean; answer: string }> {
  const { path, isWhole, greeting } = SOCKETS[name] as Socket;
  const socket = new WebSocket(`${planted.api.url.replace('http', 'ws')}${path(planted)}`, { headers: key === undefined ? {} : { authorization: `Bearer ${key}` } });
  const messages: string[] = [];
  const code = await new Promise<number>((resolve, reject) => {
    socket.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0)).once('error', reject);
    socket.once('open', () => greeting !== undefined && socket.send(greeting));
    socket.on('message', (data: Buffer) => {
      messages.push(data.toString());
      if (isWhole(messages)) resolve(0);
    });
    socket.once('close', (closed) => resolve(closed));
  });
  socket.removeAllListeners('error').on('error', () => {}).terminate();
  return { isRefused: REFUSED.has(code), answer: messages.join('\n') };
}
