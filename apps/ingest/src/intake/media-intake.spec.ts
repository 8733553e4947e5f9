import { describe, expect, it } from '@jest/globals';
import type { MediaFetcher, PrepareRequest } from '../media/index.js';
import { createMediaIntake } from './media-intake.js';

const request = { accountId: 'acc_1', jobId: 'job_1', options: { vocabulary: [] }, signal: new AbortController().signal, onProgress: () => undefined };
const fetcher: MediaFetcher = { fetchInto: () => Promise.reject(new Error('not in this test')) };

/** The lengths that media is planned with when the settings say 30 and 60 seconds. */
async function plannedLengths(engineTakes: number | undefined): Promise<PrepareRequest['lengths'] | undefined> {
  let lengths: PrepareRequest['lengths'] | undefined;
  const pipeline = { prepare: (asked: PrepareRequest) => ((lengths = asked.lengths), Promise.reject(new Error('seen'))) };
  const intake = createMediaIntake({ fetcher, pipeline, lengths: { idealSeconds: 30, maxSeconds: 60 }, engineLimit: () => Promise.resolve(engineTakes), maxDurationSeconds: 1 });
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
