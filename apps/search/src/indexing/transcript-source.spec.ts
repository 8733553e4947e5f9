import { Readable } from 'node:stream';
import { expect, it } from '@jest/globals';
import { transcription, type ingest } from '@parlance/contracts';
import { TranscriptSource } from './transcript-source.js';

it('who wants only the names of a transcript does not leave it half read', async () => {
  let canceled = 0;
  const pages = [{ header: transcription.TranscriptHeader.fromPartial({ version: 3 }), segments: [] }, { segments: [] }, { segments: [] }];
  const getTranscript = () => Object.assign(Readable.from(pages), { cancel: () => void canceled++ });
  const source = new TranscriptSource({} as ingest.JobServiceClient, { getTranscript } as unknown as transcription.TranscriptServiceClient);
  const header = await source.header({ jobId: 'job_1', accountId: 'acc_1' }, new AbortController().signal);
  expect([header?.version, canceled]).toEqual([3, 1]);
});
