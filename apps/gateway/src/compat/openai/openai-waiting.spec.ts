import { describe, expect, it } from '@jest/globals';
import { common, ingest, transcription, transcripts } from '@parlance/contracts';
import type { JobReader } from '../../transcriptions/job-reader.js';
import { spacedBody } from '../long-answer.js';
import { openAiRequest } from './openai-request.js';
import { OpenAiWaiting } from './openai-waiting.js';

const REF = { accountId: 'acc_1', jobId: 'job_1' };
const never = new AbortController().signal;
const { JOB_STATUS_PROCESSING: PROCESSING, JOB_STATUS_COMPLETED: COMPLETED, JOB_STATUS_FAILED: FAILED } = common.JobStatus;

const jobOf = (status: common.JobStatus, error?: common.Failure) =>
  ingest.Job.fromPartial({ jobId: 'job_1', status, ...(error && { error }), stages: [{ stage: common.Stage.STAGE_TRANSCRIPTION, status: status === COMPLETED ? common.StageStatus.STAGE_STATUS_COMPLETED : common.StageStatus.STAGE_STATUS_RUNNING }] });

/** Answers for a job that is as given at each further look. */
function waitingFor(...jobs: ingest.Job[]): OpenAiWaiting {
  const header = transcription.TranscriptHeader.fromPartial({ language: 'en', duration: 2.5 });
  const segments = [transcripts.Segment.fromPartial({ text: 'Say "yes".', start: 0, end: 1 }), transcripts.Segment.fromPartial({ text: 'No.', start: 1, end: 2 })];
  async function* rest(): AsyncGenerator<transcription.GetTranscriptResponse> {
    yield { header: undefined, segments: segments.slice(1) };
  }
  const reader = {
    getWhen: async () => (jobs.length > 1 ? jobs.shift() : jobs[0]),
    transcript: async () => ({ first: { header, segments: segments.slice(0, 1) }, rest: rest() }),
  };
  return new OpenAiWaiting(reader as unknown as JobReader, {} as never);
}

async function textOf(pieces: AsyncIterable<string | Uint8Array>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += String(piece);
  return text;
}

describe('an answer to a client of OpenAI that takes long', () => {
  const asked = openAiRequest({ response_format: 'json' });
  const failed = (error: unknown) => JSON.stringify({ error: String((error as Error).message) });

  it('begins with spaces, and is JSON once the transcript is there', async () => {
    const text = await textOf(spacedBody(waitingFor(jobOf(PROCESSING), jobOf(PROCESSING), jobOf(COMPLETED)).answer(REF, asked, never, failed)));
    expect(text).toMatch(/^ {3}\{/);
    expect(JSON.parse(text)).toEqual({ text: 'Say "yes". No.', usage: { type: 'duration', seconds: 3 } });
  });

  it('ends with the error of a job that failed', async () => {
    const failure = { code: 'media_corrupt', message: 'The audio of the media cannot be decoded.', retryable: false };
    const text = await textOf(spacedBody(waitingFor(jobOf(PROCESSING), jobOf(FAILED, failure)).answer(REF, asked, never, failed)));
    expect(JSON.parse(text)).toEqual({ error: failure.message });
  });

  it('stops when its client is gone', async () => {
    const gone = AbortSignal.abort();
    expect(await textOf(spacedBody(waitingFor(jobOf(PROCESSING)).answer(REF, asked, gone, failed)))).toBe(' ');
  });
});

describe('the fields of a form of OpenAI', () => {
  it('name terms by prompt and keywords, but no sentences', () => {
    expect(openAiRequest({ prompt: 'Parlance, Ada Lovelace. Please write down everything that is said here.', 'keywords[]': ['webm', 'opus'] }).vocabulary).toEqual(['Parlance', 'webm', 'opus']);
    expect(openAiRequest({ prompt: 'Parlance\nAda Lovelace' }).vocabulary).toEqual(['Parlance', 'Ada Lovelace']);
  });

  it.each([
    ['german', 'de'],
    ['pt_BR', 'pt-BR'],
    ['zh', 'zh'],
    ['auto', undefined],
    ['', undefined],
  ])('have the language %p as %p', (language, expected) => {
    expect(openAiRequest({ language }).language).toBe(expected);
  });
});
