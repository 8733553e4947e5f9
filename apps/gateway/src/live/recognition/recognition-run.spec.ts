import { describe, expect, it } from '@jest/globals';
import type { live } from '@parlance/contracts';
import { pause } from '@parlance/platform';
import { StandInLive, tone } from '../../../test/stand-in-live.js';
import type { LiveSession } from '../session/live-session.js';
import { recognizeFrom, type RecognitionServices } from './recognition-run.js';

const SESSION = { id: 'job_1', accountId: 'acc_1', audio: { encoding: 'pcm_s16le', sampleRate: 16_000, channels: 1 }, partials: false, endpointing: { silenceMs: 500, maxUtteranceMs: 20_000 }, options: {} } as LiveSession;
/** Of an engine that hangs: it is waited for. */
const LIMIT_MS = 400;
/** Of an engine that works: a slow machine takes far less to continue. */
const LONG_LIMIT_MS = 2000;

describe('a recognition', () => {
  /** @param audio the bytes of the session, as they come */
  const recognize = async (standIn: StandInLive, audio: () => AsyncIterable<Buffer>, signal = new AbortController().signal, stallMs = LIMIT_MS) => {
    const services = { live: standIn.liveService(), media: standIn.mediaService(), stallMs } as RecognitionServices;
    const run = { session: SESSION, start: { sample: 0, utterances: 0 }, bytesFrom: audio, onDecoded: () => {}, signal };
    const kinds: string[] = [];
    for await (const { event } of recognizeFrom(services, run)) kinds.push(event?.$case ?? '');
    return kinds;
  };
  async function* speech(): AsyncGenerator<Buffer> {
    yield tone(1, 1);
  }
  const hung = (): StandInLive => Object.assign(new StandInLive(), { beforeWindow: () => new Promise<void>(() => {}) });

  it('fails when the engine does not continue although audio waits', async () => {
    await expect(recognize(hung(), speech)).rejects.toMatchObject({ code: 'service_unavailable', kind: 'timeout', retryable: true });
  });

  it('fails when the engine does not answer at all', async () => {
    const silent = Object.assign(new StandInLive(), { liveService: () => ({ recognize: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise<IteratorResult<live.RecognizeResponse>>(() => {}) }) }) }) });
    await expect(recognize(silent, speech)).rejects.toMatchObject({ kind: 'timeout' });
  });

  it('waits for a client that sends nothing', async () => {
    async function* slow(): AsyncGenerator<Buffer> {
      yield tone(1, 1);
      await pause(1.5 * LONG_LIMIT_MS);
      yield tone(0, 1);
    }
    expect(await recognize(new StandInLive(), slow, undefined, LONG_LIMIT_MS)).toEqual(['opened', 'speechStarted', 'speechEnded', 'final']);
  });

  it('ends with its signal, also when the engine takes no notice', async () => {
    const stop = new AbortController();
    const ended = recognize(hung(), speech, stop.signal);
    stop.abort(new Error('stopped'));
    await expect(ended).rejects.toThrow('stopped');
  });
});
