// A live session whose messages are timed, on one connection that is not expected to break.
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';

/** Bytes of 16-bit samples at 16 kHz a second. */
export const BYTES_A_SECOND = 32_000;
const BLOCK_SECONDS = 0.02;

/** Opens a session of raw audio. @returns its id, its socket once it is ready, and the seconds that were spoken */
export async function openSession(api, options = {}) {
  const response = await api.post('/live', { audio: { encoding: 'pcm_s16le', sample_rate: 16_000, channels: 1 }, ...options });
  if (response.status !== 201) throw new Error(`POST /live: ${response.status} ${await response.text()}`);
  const { id, token } = await response.json();
  const socket = new WebSocket(`${api.url.replace(/^http/, 'ws')}/api/v1/live/${id}/socket`, ['parlance.v1', `token.${token}`]);
  await new Promise((resolve, reject) => {
    socket.once('message', resolve);
    socket.once('error', reject);
    socket.once('close', (code) => reject(new Error(`the socket closed with ${code}`)));
  });
  return { id, socket, spoken: 0 };
}

/**
 * Sends the samples at the speed of speech, or as fast as they are taken, and finishes the session.
 * @returns the job's id, the messages with `receivedAt`, and `sentAt(seconds)`: when the audio of that time was sent
 */
export async function timedSession(api, pcm, { isPaced, ...options }) {
  const { id, socket } = await openSession(api, options);
  const messages = [];
  socket.on('message', (data) => messages.push({ ...JSON.parse(String(data)), receivedAt: performance.now() }));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const sent = await sendAll(socket, pcm, isPaced);
  socket.send(JSON.stringify({ type: 'finish' }));
  const code = await closed;
  if (code !== 1000) throw new Error(`the session closed with ${code}: ${JSON.stringify(messages.at(-1))}`);
  return { id, messages, sentAt: (seconds) => sent[Math.min(sent.length - 1, Math.floor(seconds / BLOCK_SECONDS))] };
}

/** @returns the times at which the blocks were sent */
async function sendAll(socket, pcm, isPaced) {
  const block = BLOCK_SECONDS * BYTES_A_SECOND;
  const sent = [];
  const startedAt = performance.now();
  for (let at = 0; at < pcm.byteLength; at += block) {
    if (isPaced) await sleep(Math.max(0, startedAt + (sent.length + 1) * BLOCK_SECONDS * 1000 - performance.now()));
    await new Promise((resolve, reject) => socket.send(pcm.subarray(at, at + block), (error) => (error ? reject(error) : resolve())));
    sent.push(performance.now());
  }
  return sent;
}
