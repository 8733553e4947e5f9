import { describe, expect, it } from '@jest/globals';
import { eventually } from '@parlance/testing';
import { UNBOUNDED } from '../../uploads/storage-quota.js';
import type { LiveSession } from '../session/live-session.js';
import { SessionIntake } from './session-intake.js';

const SECOND = 32_000;
const SESSION = { id: 'job_1', accountId: 'acc_1', generation: 1, generations: [{ generation: 1, from: 0 }], audio: { encoding: 'pcm_s16le', sampleRate: 16_000, channels: 1 }, acknowledged: 0, audioMs: 0 } as unknown as LiveSession;

function setUp(random: () => number) {
  let session = SESSION;
  const stored: Buffer[] = [];
  const media = {
    put: async (_key: string, body: AsyncIterable<Uint8Array>) => {
      for await (const bytes of body) stored.push(Buffer.from(bytes));
      return { sizeBytes: 0, sha256: '' };
    },
  };
  const intake = new SessionIntake(session, {
    media: media as never,
    sessions: { commit: async (_id, _generation, changed) => (session = { ...session, ...changed } as LiveSession) },
    quota: { requireTime: async () => {}, holdBytes: async () => UNBOUNDED },
    restartWithin: () => ({ sample: 0 }) as never,
    decodedMs: () => 0,
    onAcknowledged: () => {},
    onRoom: () => {},
    onFailure: (error) => expect(error).toBeUndefined(),
    random,
  });
  return { intake, stored };
}

describe('the audio of a session', () => {
  it('is stored in pieces of a second, of which the first is shorter by chance', async () => {
    const { intake, stored } = setUp(() => 0.75);
    const audio = Buffer.from(Array.from({ length: 3 * SECOND }, (_, at) => at % 251));
    for (let at = 0; at < audio.length; at += SECOND / 4) {
      intake.append(audio.subarray(at, at + SECOND / 4));
      const pieces = Math.floor(at / SECOND);
      await eventually('each piece to be acknowledged', () => intake.session.acknowledged === SECOND / 4 + pieces * SECOND);
    }
    await intake.flush();
    expect(stored.map(({ length }) => length)).toEqual([SECOND / 4, SECOND, SECOND, (3 * SECOND) / 4]);
    expect(Buffer.concat(stored).equals(audio)).toBe(true);
  });
});
