import { describe, expect, it } from '@jest/globals';
import { common } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import { MEDIA } from '../../jobs/state/job.fixture.js';
import type { MediaFetcher } from '../media-fetcher.js';
import type { PrepareRequest } from '../media-pipeline.js';
import { MediaIntake } from './media-intake.js';

const request = { accountId: 'acc_1', jobId: 'job_1', options: { vocabulary: [] }, signal: new AbortController().signal, reserveSeconds: async () => {}, onProgress: () => undefined };
const config = { CHUNK_IDEAL_SECONDS: 30, CHUNK_MAX_SECONDS: 60, MEDIA_MAX_DURATION_SECONDS: 1, MEDIA_MAX_BYTES: 1000 };
const noLive = { join: () => Promise.reject(new Error('not in this test')) };
const fetcher: MediaFetcher = { fetchInto: () => Promise.reject(new Error('not in this test')) };

/** The lengths that media is planned with when the settings say 30 and 60 seconds. */
async function plannedLengths(engineTakes: number | undefined): Promise<PrepareRequest['lengths'] | undefined> {
  let lengths: PrepareRequest['lengths'] | undefined;
  const pipeline = { prepare: (asked: PrepareRequest) => ((lengths = asked.lengths), Promise.reject(new Error('seen'))) };
  const intake = new MediaIntake(config, fetcher, pipeline, { seconds: async () => engineTakes }, { bytes: async () => undefined }, noLive);
  await expect(intake.prepare(request)).rejects.toThrow('seen');
  return lengths;
}

describe('media', () => {
  it('is cut into chunks that the engine takes, whatever the settings allow', async () => {
    expect(await plannedLengths(20)).toEqual({ idealSeconds: 30, maxSeconds: 20 });
    expect(await plannedLengths(300)).toEqual({ idealSeconds: 30, maxSeconds: 60 });
  });

  it('is cut by the settings while the engine does not answer', async () => {
    expect(await plannedLengths(undefined)).toEqual({ idealSeconds: 30, maxSeconds: 60 });
  });
});

describe('a live session', () => {
  it('is joined before it is prepared, and refused for no length that the settings or a plan limit', async () => {
    const done: string[] = [];
    const prepare = (asked: PrepareRequest) => (done.push(`up to ${asked.maxDurationSeconds} s`), Promise.reject(new Error('seen')));
    const join = async ({ audio }: { audio: common.LiveAudio }) => void done.push(`joined at ${audio.sampleRate} Hz`);
    const intake = new MediaIntake(config, fetcher, { prepare }, { seconds: async () => undefined }, { bytes: async () => undefined }, { join });
    const live = { encoding: common.LiveEncoding.LIVE_ENCODING_MULAW, sampleRate: 8000, channels: 1 };
    await expect(intake.prepare({ ...request, live, limits: { seconds: 60 } })).rejects.toThrow('seen');
    expect(done).toEqual(['joined at 8000 Hz', 'up to 86400 s']);
  });
});

describe('media that was transcribed already', () => {
  it('is decoded again also when its engine was removed; other media is refused then', async () => {
    let lengths: PrepareRequest['lengths'] | undefined;
    const prepared = { media: MEDIA, planKey: 'p', audioPrefix: 'a/', chunksTotal: 1, warnings: [] };
    const pipeline = { prepare: async (asked: PrepareRequest) => ((lengths = asked.lengths), prepared) };
    const removed = new AppError({ kind: 'not_found', code: 'model_unknown', message: 'There is no speech engine fast.' });
    const intake = new MediaIntake(config, fetcher, pipeline, { seconds: () => Promise.reject(removed) }, { bytes: async () => undefined }, noLive);
    await expect(intake.prepare(request)).rejects.toBe(removed);
    expect(lengths).toBeUndefined();
    expect(await intake.prepare({ ...request, isTranscribed: true })).toBe(prepared);
    expect(lengths).toEqual({ idealSeconds: 30, maxSeconds: 60 });
  });
});

describe('fetching', () => {
  const fetch = async (left: number | undefined, size: number): Promise<number> => {
    const limited: MediaFetcher = {
      fetchInto: async (_key, _url, options) => {
        if (size > (options?.maxBytes ?? 0)) throw new AppError({ kind: 'too_large', code: 'media_too_large', message: 'It is larger.' });
        return { sizeBytes: size, sha256: '' };
      },
    };
    const pipeline = { prepare: () => Promise.reject(new Error('not in this test')) };
    const intake = new MediaIntake(config, limited, pipeline, { seconds: async () => undefined }, { bytes: async () => left }, noLive);
    return (await intake.fetch({ ...request, url: 'https://media.example/a.mp3' })).sizeBytes;
  };

  it('takes no more than the account may store, and says which bound it was', async () => {
    expect(await fetch(500, 500)).toBe(500);
    expect(await fetch(undefined, 1000)).toBe(1000);
    const exhausted = { code: 'storage_quota_exhausted', kind: 'payment_required', retryable: false };
    await expect(fetch(0, 1)).rejects.toMatchObject(exhausted);
    await expect(fetch(499, 500)).rejects.toMatchObject(exhausted);
    await expect(fetch(5000, 1001)).rejects.toMatchObject({ code: 'media_too_large' });
  });
});
