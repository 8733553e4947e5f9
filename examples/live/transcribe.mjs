// Sends raw audio from standard input to a live session, and prints each final and at last the id of the job:
//   ffmpeg -loglevel error -re -i talk.mp3 -f s16le -ar 16000 -ac 1 - | PARLANCE_API_KEY=… node transcribe.mjs
import { LiveSession } from './live-session.mjs';

const { PARLANCE_URL = 'http://127.0.0.1:3000', PARLANCE_API_KEY = '' } = process.env;

async function post(path, body) {
  const response = await fetch(`${PARLANCE_URL}/api/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${PARLANCE_API_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw Object.assign(new Error(`POST ${path}: ${response.status} ${await response.text()}`), { status: response.status });
  return response.json();
}

const { id, token } = await post('/live', { audio: { encoding: 'pcm_s16le', sample_rate: 16_000, channels: 1 } });
const tokens = [token];
const session = new LiveSession({
  url: `${PARLANCE_URL.replace(/^http/, 'ws')}/api/v1/live/${id}/socket`,
  newToken: async () => tokens.pop() ?? (await post(`/live/${id}/tokens`, {})).token,
  onMessage: (message) => {
    if (message.type === 'final') console.log(`${message.start.toFixed(1)} ${message.text}`);
  },
});
for await (const bytes of process.stdin) await session.send(bytes);
try {
  await session.finish();
} catch (error) {
  if (error.status !== 410) throw error;
  console.error('The session ended while the connection was lost: its job has everything that was acknowledged.');
}
console.log(id);
