import { execFileSync } from 'node:child_process';
import { isDeepStrictEqual } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { SAMPLES } from '@parlance/testing';
import { check } from '../checks.mjs';
import { hashOf, playLive, SPEED } from '../live-session.mjs';

let samples;
/** The same session without a disturbance. */
let undisturbed;

/** The process is killed at a random moment of a live session, whose client comes back. The session must be as an undisturbed one, and the jobs beside it as ever. */
export const live = {
  async prepare() {
    samples ??= execFileSync('ffmpeg', ['-v', 'error', '-i', SAMPLES.reading.path, '-ac', '1', '-ar', '16000', '-f', 's16le', '-']);
    return {};
  },

  async disturb({ parlance, prepared, random }) {
    undisturbed ??= await playLive(parlance, samples);
    if (undisturbed.finals.length === 0) throw new Error('the undisturbed session has no finals to compare with');
    const played = playLive(parlance, samples).catch((error) => ({ error }));
    // From its first byte to a second after its last one: the end of a session is disturbed too.
    const at = random() * ((samples.byteLength / 32_000 / SPEED) * 1000 + 1000);
    await sleep(at);
    await parlance.kill();
    await parlance.restart({ PORT: new URL(parlance.api.url).port });
    prepared.session = await played;
    return `killed ${(at / 1000).toFixed(1)} s after the start of a session of ${prepared.session.connections ?? 0} connections`;
  },

  async check(round) {
    const found = await check(round);
    return { ...found, broken: [...found.broken, ...faultsOf(round.prepared.session)] };
  },
};

/** @returns a line for each difference from the undisturbed session */
function faultsOf(session) {
  if (session.error) return [`the session: ${session.error.stack}`];
  const { jobId, seqs } = session;
  const faults = ['finals', 'transcript'].filter((what) => !isDeepStrictEqual(session[what], undisturbed[what])).map((what) => `${what}: ${JSON.stringify(session[what])} instead of ${JSON.stringify(undisturbed[what])}`);
  if (session.audio !== hashOf(samples)) faults.push('other samples were kept than were sent');
  if (seqs.some((seq, index) => seq !== index + 1)) faults.push(`lasting messages ${seqs.join(' ')}`);
  return faults.map((fault) => `the session ${jobId}: ${fault}`);
}
