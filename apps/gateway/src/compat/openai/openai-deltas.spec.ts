import { expect, it } from '@jest/globals';
import { ingest, transcription } from '@parlance/contracts';
import type { JobReader } from '../../transcriptions/job-reader.js';
import { deltaEvents } from './openai-deltas.js';
import { openAiRequest } from './openai-request.js';

const ref = { accountId: 'acc_1', jobId: 'job_1' };
const jobWith = (version: number, chunksDone: number) => ingest.Job.fromPartial({ jobId: 'job_1', version, chunksDone });

it('a chunk that finishes while the chunks are read is not waited for', async () => {
  // The second chunk is done, and the first one before the job is read again.
  const jobs = [jobWith(1, 1), jobWith(2, 2), jobWith(2, 2)];
  const waits: boolean[] = [];
  const getWhen: JobReader['getWhen'] = async (_ref, isAwaited) => {
    const job = jobs.shift() ?? jobWith(2, 2);
    waits.push(!isAwaited(job, job));
    return job;
  };
  const pages = [{ segments: [], nextChunk: 0 }, { segments: [{ text: 'Good morning.' }], nextChunk: 2 }];
  const listChunkSegments = async () => transcription.ListChunkSegmentsResponse.fromPartial(pages.shift() ?? { nextChunk: 2 });
  const events = deltaEvents({ reader: { getWhen } as JobReader, transcripts: { listChunkSegments }, finish: () => Promise.reject(new Error('The job has not ended.')) }, ref, openAiRequest({}), new AbortController().signal);
  expect([(await events.next()).value, (await events.next()).value]).toEqual([':\n\n', 'data: {"type":"transcript.text.delta","delta":"Good morning."}\n\n']);
  expect(waits).toEqual([false, false, false]);
});
