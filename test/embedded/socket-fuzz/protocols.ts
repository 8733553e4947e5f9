import type { TestApi } from '@parlance/testing';
import { WebSocket } from 'ws';

/** A socket protocol of the product. */
export interface Protocol {
  name: string;
  /** A message that the server answers. */
  answered: string;
  open(api: TestApi): Promise<WebSocket>;
  /** Sends audio: silence, as 16-bit samples. */
  sendAudio(socket: WebSocket, bytes: Buffer): void;
}

const socketUrl = (api: TestApi, path: string) => new URL(path, api.url.replace('http', 'ws')).href;

export const PROTOCOLS: readonly Protocol[] = [
  {
    name: 'native',
    answered: '{"type":"keepalive"}',
    async open(api) {
      const { url, token } = (await (await api.post('/live', { audio: { encoding: 'pcm_s16le', sample_rate: 16_000 } })).json()) as { url: string; token: string };
      return new WebSocket(url, ['parlance.v1', `token.${token}`]);
    },
    sendAudio: (socket, bytes) => socket.send(bytes),
  },
  {
    name: 'Deepgram',
    answered: '{"type":"Finalize"}',
    open: async (api) => new WebSocket(socketUrl(api, '/compat/deepgram/v1/listen?encoding=linear16&sample_rate=16000'), { headers: { authorization: `Token ${api.apiKey}` } }),
    sendAudio: (socket, bytes) => socket.send(bytes),
  },
  {
    name: 'OpenAI realtime',
    answered: '{"type":"input_audio_buffer.clear"}',
    open: async (api) => new WebSocket(socketUrl(api, '/v1/realtime?intent=transcription'), { headers: { authorization: `Bearer ${api.apiKey}` } }),
    sendAudio: (socket, bytes) => socket.send(JSON.stringify({ type: 'input_audio_buffer.append', audio: bytes.toString('base64') })),
  },
];
