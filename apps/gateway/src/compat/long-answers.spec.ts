import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { common, ingest } from '@parlance/contracts';
import { statusOf } from '../transcriptions/job-json.js';
import type { JobReader } from '../transcriptions/job-reader.js';
import { LongAnswers, type LongAnswer } from './long-answers.js';

const { JOB_STATUS_QUEUED: QUEUED, JOB_STATUS_PROCESSING: PROCESSING, JOB_STATUS_COMPLETED: COMPLETED } = common.JobStatus;
const never = new AbortController().signal;

/** Answers for a job that has these states one after the other. */
function answering(...statuses: common.JobStatus[]): LongAnswers {
  const jobs = statuses.map((status) => ingest.Job.fromPartial({ status }));
  const reader = { getWhen: async () => (jobs.length > 1 ? jobs.shift() : jobs[0]) };
  return new LongAnswers(reader as unknown as JobReader);
}

async function* pieces(text: string): AsyncGenerator<string> {
  yield text;
}

const answer = (options: Partial<LongAnswer> = {}): LongAnswer => ({
  ref: { accountId: 'acc_1', jobId: 'job_1' },
  isReady: (job) => statusOf(job) === 'completed',
  body: async () => pieces('{"text":"Yes."}'),
  failure: (error) => JSON.stringify({ error: (error as Error).message }),
  start: 'json',
  ...options,
});

async function textOf(body: AsyncIterable<string | Uint8Array>): Promise<string> {
  let text = '';
  for await (const piece of body) text += String(piece);
  return text;
}

describe('an answer that waits for a job', () => {
  it('is the body when the job is ready in time', async () => {
    const { body, isSpaced } = await answering(COMPLETED).body(answer(), never);
    expect([isSpaced, await textOf(body)]).toEqual([false, '{"text":"Yes."}']);
  });

  it('begins with spaces when the job takes long, and is JSON in the end', async () => {
    const { body, isSpaced } = await answering(PROCESSING, PROCESSING, PROCESSING, COMPLETED).body(answer(), never);
    const text = await textOf(body);
    expect([isSpaced, JSON.parse(text)]).toEqual([true, { text: 'Yes.' }]);
    expect(text).toMatch(/^ {3}\{/);
  });

  it('waits in silence when its format cannot begin with spaces', async () => {
    expect(await answering(PROCESSING, PROCESSING, COMPLETED).body(answer({ start: undefined }), never)).toMatchObject({ isSpaced: false });
  });

  it.each([
    ['srt', '1\n00:00:00,000 --> 00:00:01,000\nSay "yes".\n\n2\n00:00:01,000 --> 00:00:02,000\nNo.\n', /^\n\n1\n/],
    ['vtt', 'WEBVTT\n\n00:00:00.000 --> 00:00:01.000\nSay "yes".\n\n00:00:01.000 --> 00:00:02.000\nNo.\n', /^WEBVTT\n\n\n\n00:/],
  ] as const)('in %s begins with empty lines, which a parser ignores', async (start, cues, beginning) => {
    const captions = await textOf(answering(PROCESSING, COMPLETED).spaced(answer({ start, body: async () => pieces(cues) }), never));
    expect(captions).toMatch(beginning);
    const parsed = spawnSync('ffmpeg', ['-loglevel', 'error', '-f', start === 'vtt' ? 'webvtt' : 'srt', '-i', '-', '-f', 'srt', '-'], { input: captions, encoding: 'utf8' });
    expect(parsed.stdout.match(/-->/g)).toHaveLength(2);
    expect(parsed.stdout).toContain('No.');
  });

  it('in captions is cut off when the job fails', async () => {
    const failing = answer({ start: 'srt', body: () => Promise.reject(new Error('The audio cannot be decoded.')) });
    await expect(textOf(answering(PROCESSING, COMPLETED).spaced(failing, never))).rejects.toThrow('cannot be decoded');
  });

  it('ends with the error of a job that failed after the first space', async () => {
    const failing = answer({ body: () => Promise.reject(new Error('The audio cannot be decoded.')) });
    expect(JSON.parse(await textOf(answering(PROCESSING, COMPLETED).spaced(failing, never)))).toEqual({ error: 'The audio cannot be decoded.' });
  });

  it('begins with spaces while the job is queued as well', async () => {
    expect(await answering(QUEUED, COMPLETED).body(answer(), never)).toMatchObject({ isSpaced: true });
  });

  it('ends with an error when the server stops, and never as a complete answer without a transcript', async () => {
    const stopping = AbortSignal.abort();
    expect(JSON.parse(await textOf(answering(PROCESSING).spaced(answer(), stopping)))).toEqual({ error: expect.stringContaining('shutting down') });
    await expect(textOf(answering(PROCESSING).spaced(answer({ start: 'srt' }), stopping))).rejects.toThrow('shutting down');
  });

  it('ends with an error when the job is deleted meanwhile', async () => {
    const deleted = { getWhen: () => Promise.reject(new Error('The transcription was not found.')) };
    expect(JSON.parse(await textOf(new LongAnswers(deleted as unknown as JobReader).spaced(answer(), never)))).toEqual({ error: 'The transcription was not found.' });
  });

  it('is cut off when the transcript cannot be read to its end: an error behind its beginning would be no JSON', async () => {
    async function* broken() {
      yield '{"text":"Yes';
      throw new Error('The store is away.');
    }
    await expect(textOf(answering(COMPLETED).spaced(answer({ body: async () => broken() }), never))).rejects.toThrow('store is away');
  });
});
