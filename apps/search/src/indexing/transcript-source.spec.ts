import { expect, it } from '@jest/globals';
import { type JobService, transcription, type TranscriptService } from '@parlance/contracts';
import { TranscriptSource } from './transcript-source.js';

it('who wants only the names of a transcript does not leave it half read', async () => {
  let left = 0;
  async function* getTranscript(): AsyncGenerator<transcription.GetTranscriptResponse> {
    try {
      yield { header: transcription.TranscriptHeader.fromPartial({ version: 3 }), segments: [] };
      yield { header: undefined, segments: [] };
    } finally {
      left++;
    }
  }
  const source = new TranscriptSource({} as JobService, { getTranscript } as unknown as TranscriptService);
  const header = await source.header({ jobId: 'job_1', accountId: 'acc_1' }, new AbortController().signal);
  expect([header?.version, left]).toEqual([3, 1]);
});
