import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

const { ApiClient } = await import(new URL('../../apps/standalone/dist/api-client.js', import.meta.url));
const { LiveSession } = await import(new URL('../../apps/standalone/dist/live/live-session.js', import.meta.url));

/** Bytes of 16-bit samples at 16 kHz a second. */
const BYTES_A_SECOND = 32_000;
const BLOCK = 3200;
/** Times the speed of speech: a session faster than that would end before most disturbances. */
export const SPEED = 4;

/** Plays the samples into a session over as many connections as it takes. @returns its results, to be compared with those of an undisturbed one */
export async function playLive(parlance, pcm) {
  const { api } = parlance;
  const client = new ApiClient(api.url, api.apiKey);
  const { id } = await client.openLive();
  const session = new LiveSession({ sessionId: id, socketUrl: client.liveSocketUrl(id), requests: client, resumeWithinMs: 60_000 });
  const playing = play(session, pcm);
  const lasting = [];
  let connections = 0;
  for await (const message of session.messages()) {
    if (message.type === 'ready') connections += 1;
    if ('seq' in message) lasting.push(message);
  }
  await playing;
  return { jobId: id, connections, ...(await whenReached(() => outcome(parlance, id, lasting))) };
}

const TRIES = 60;

/** Tries again while the product is down. It answers under another object after its restart, at the same address. */
async function whenReached(read) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await read();
    } catch (error) {
      if (error.message !== 'fetch failed' || tries === TRIES) throw error;
      await sleep(1000);
    }
  }
}

async function play(session, pcm) {
  for (let at = 0; at < pcm.byteLength; at += BLOCK) {
    await session.write(pcm.subarray(at, at + BLOCK));
    await sleep((BLOCK / BYTES_A_SECOND / SPEED) * 1000);
  }
  session.finish();
}

async function outcome(parlance, id, lasting) {
  const { status, error } = await parlance.api.terminal(id);
  if (status !== 'completed') throw new Error(`the session ${id} ${status}: ${JSON.stringify(error)}`);
  const finals = lasting.filter(({ type }) => type === 'final').map(({ start, end, text, words, endpoint }) => ({ start, end, text, words, endpoint }));
  return { seqs: lasting.map(({ seq }) => seq), finals, transcript: await parlance.api.transcript(id, 'txt'), audio: await audioOf(parlance.api, id) };
}

/** SHA-256 of the samples that were kept. */
async function audioOf(api, id) {
  const response = await api.request('GET', `/transcriptions/${id}/media`);
  if (!response.ok) throw new Error(`GET media: ${response.status} ${await response.text()}`);
  const wav = Buffer.from(await response.arrayBuffer());
  return hashOf(wav.subarray(wav.indexOf('data') + 8));
}

export const hashOf = (pcm) => createHash('sha256').update(pcm).digest('hex');
