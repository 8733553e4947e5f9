import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { silentLogger } from '@parlance/platform';
import { StandInLive, tone } from '../../../test/stand-in-live.js';
import { StorageFolder } from '../../../test/storage-folder.js';
import { LiveEvents } from '../session/live-events.js';
import { LiveFeed } from '../session/live-feed.js';
import type { LiveSession } from '../session/live-session.js';
import { LastingLog } from './lasting-log.js';
import { LiveRecognition } from './live-recognition.js';
import type { RecognitionServices } from './recognition-run.js';

const SESSION = { accountId: 'acc_1', generation: 1, audio: { encoding: 'pcm_s16le', sampleRate: 16_000, channels: 1 }, partials: false, endpointing: { silenceMs: 500, maxUtteranceMs: 20_000 }, options: {}, restart: { sample: 0, utterances: 0 } };
const AUDIO = Buffer.concat([tone(1, 0.5), tone(0, 1), tone(2, 0.5), tone(0, 1)]);

describe('the recognition of a session whose engine hangs', () => {
  let storage: StorageFolder;
  let events: LiveEvents;
  beforeAll(async () => {
    storage = await StorageFolder.open();
    events = new LiveEvents(storage.documents, storage.clock, new LiveFeed());
  });
  afterAll(() => storage[Symbol.asyncDispose]());

  /** @param hangsIn true for each window in which the engine hangs; it counts them over all tries */
  const recognize = async (id: string, hangsIn: (window: number) => boolean) => {
    const standIn = new StandInLive();
    let windows = 0;
    standIn.beforeWindow = () => (hangsIn((windows += 1)) ? new Promise<void>(() => {}) : undefined);
    const services = { live: standIn.liveService(), media: standIn.mediaService(), stallMs: 2000 } as RecognitionServices;
    const session = { ...SESSION, id } as LiveSession;
    const from = async function* (offset: number) {
      yield AUDIO.subarray(offset);
    };
    const texts: string[] = [];
    const listener = { onMessage: (message: { type: string; text?: string }) => void (message.type === 'final' && texts.push(message.text ?? '')) };
    const messages = await LastingLog.open(events, session);
    const recognition = new LiveRecognition(session, { services, audio: { from, position: AUDIO.byteLength, acknowledged: async () => {} }, messages, listener, log: silentLogger(), random: () => 0 });
    const failure = await recognition.run(new AbortController().signal).catch((error: unknown) => error);
    return { failure, texts, tries: standIn.opened.length };
  };

  it('is given up after the second time at the same place, and can be tried again later', async () => {
    const { failure, texts, tries } = await recognize('job_1', (window) => window >= 70);
    expect(failure).toMatchObject({ code: 'service_unavailable', kind: 'timeout', retryable: true });
    // The first try recognized the first utterance; the two after it hung at the second one.
    expect([texts, tries]).toEqual([['w1'], 2]);
  });

  it('continues when each try gets further than the one before', async () => {
    const { failure, texts } = await recognize('job_2', (window) => window === 30 || window === 130);
    expect([failure, texts]).toEqual([undefined, ['w1', 'w2']]);
  });
});
