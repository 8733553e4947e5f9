import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { SAMPLES } from '@parlance/testing';
import { GatewayTurns } from './gateway-turns.mjs';

const { LiveSession } = await import(new URL('../../apps/standalone/dist/live/live-session.js', import.meta.url));

/** Bytes of 16-bit samples at 16 kHz a second. */
const BYTES_A_SECOND = 32_000;
const BLOCK = 3200;
/** Times the speed of speech: a session faster than that would end before most disturbances. */
const SPEED = 4;

/** Seconds of the recording that are played. */
const SECONDS = '20';

/** Speech as 16-bit samples at 16 kHz. */
export const meetingSamples = () => execFileSync('ffmpeg', ['-v', 'error', '-t', SECONDS, '-i', SAMPLES.meeting.path, '-ac', '1', '-ar', '16000', '-f', 's16le', '-']);

/** Milliseconds for which the samples are played. */
export const playedMs = (pcm) => (pcm.byteLength / BYTES_A_SECOND / SPEED) * 1000;

/** A session into which samples are played, over as many connections as it takes. */
export class PlayedSession {
  /** The address of the gateway that has its connection, from `ready` on until `finished`. */
  gateway;
  connections = 0;
  /** Resolves to what is compared with an undisturbed session, or to `{ error }`. */
  result;

  /** @param first the gateway of its first connection, by its place among those of the product; each further connection goes to the next one */
  constructor(parlance, pcm, first = 0) {
    this.result = this.play(parlance, pcm, new GatewayTurns(parlance, first)).catch((error) => ({ error }));
  }

  async play(parlance, pcm, gateways) {
    const { id, resume_within_ms: resumeWithinMs } = await gateways.openLive();
    const session = new LiveSession({ sessionId: id, get socketUrl() { return gateways.liveSocketUrl(id); }, requests: gateways, resumeWithinMs });
    const writing = writeAll(session, pcm);
    const lasting = [];
    for await (const message of session.messages()) {
      if (message.type === 'ready') {
        this.connections += 1;
        this.gateway = gateways.url;
      }
      if ('seq' in message) lasting.push(message);
    }
    this.gateway = undefined;
    await writing;
    return { jobId: id, ...(await whenReached(() => outcome(parlance, id, lasting))) };
  }
}

async function writeAll(session, pcm) {
  for (let at = 0; at < pcm.byteLength; at += BLOCK) {
    await session.write(pcm.subarray(at, at + BLOCK));
    await sleep((BLOCK / BYTES_A_SECOND / SPEED) * 1000);
  }
  session.finish();
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

const hashOf = (pcm) => createHash('sha256').update(pcm).digest('hex');

/** @returns a line for each difference between a session of the samples and the undisturbed one */
export function differences(session, undisturbed, pcm) {
  if (session.error) return [`a session: ${session.error.stack}`];
  const { jobId, seqs } = session;
  const faults = ['finals', 'transcript'].filter((what) => !isDeepStrictEqual(session[what], undisturbed[what])).map((what) => `${what}: ${JSON.stringify(session[what])} instead of ${JSON.stringify(undisturbed[what])}`);
  if (session.audio !== hashOf(pcm)) faults.push('other samples were kept than were sent');
  if (seqs.some((seq, index) => seq !== index + 1)) faults.push(`lasting messages ${seqs.join(' ')}`);
  return faults.map((fault) => `the session ${jobId}: ${fault}`);
}

/** A session to compare others with. @throws Error when it failed or has no finals */
export async function undisturbedSession(parlance, pcm) {
  const session = await new PlayedSession(parlance, pcm).result;
  if (session.error) throw session.error;
  if (session.finals.length === 0) throw new Error('the undisturbed session has no finals to compare with');
  return session;
}
