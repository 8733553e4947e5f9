import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { common } from '@parlance/contracts';
import { writeModel } from '../../../libs/engines/test/tiny-models/model-folder.js';
import { tinyCnnBilstm } from '../../../libs/engines/test/tiny-models/tiny-punctuation.js';
import { TranscriptionHarness } from './transcription-harness.js';

describe('a transcript of bare words', () => {
  let models: string;
  let service: TranscriptionHarness;

  beforeAll(async () => {
    models = await mkdtemp(join(tmpdir(), 'parlance-punctuation-'));
    const env = { SPEECH_ENGINE_URL: 'fixture:?formatsText=false&words=hello', PUNCTUATION_ENGINE_URL: `sherpa:${models}/english` };
    service = await TranscriptionHarness.start(env);
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await rm(models, { recursive: true });
  });

  async function transcribed(jobId: string, format: boolean) {
    const plan = await service.storeMedia(jobId, { change: (made) => ({ ...made, options: { ...made.options, language: 'en', format } }) });
    await service.mediaReady(plan, { options: common.JobOptions.fromPartial({ language: 'en' }) });
    await service.requestAll(plan);
    const { warnings } = await service.awaitEvent('transcript.completed', jobId);
    const { header, segments } = await service.transcript(jobId);
    const provisional = await service.chunkSegments(jobId, 0);
    return { header, warnings, words: segments.flatMap(({ words }) => words), provisional: provisional.segments.flatMap(({ words }) => words) };
  }

  it('is written by rules, with a warning, while the model is not there', async () => {
    const { header, warnings, words } = await transcribed('job_absent', true);
    expect(header?.formatting).toBe('rules');
    expect(warnings).toEqual([expect.objectContaining({ code: 'punctuation_failed' })]);
    expect(words[0]).toMatchObject({ text: expect.stringMatching(/^Hello/), raw: 'hello' });
    expect(words.at(-1)?.text).toMatch(/\.$/);
  });

  it('is written by the model once it is, also before the transcript is complete, and keeps what the engine wrote', async () => {
    await writeModel(models, 'english', tinyCnnBilstm({ hello: { mark: '?', case: 'upper' } }));
    const { header, warnings, words, provisional } = await transcribed('job_present', true);
    expect(header?.formatting).toBe('model');
    expect(warnings).toEqual([]);
    for (const word of [...words, ...provisional]) expect(word).toMatchObject({ text: 'HELLO?', raw: 'hello' });
    expect(words).toHaveLength((await transcribed('job_bare', false)).words.length);
  });

  it('stays bare for a job that wants it so', async () => {
    const { header, words } = await transcribed('job_none', false);
    expect(header?.formatting).toBe('none');
    for (const word of words) expect(word).toMatchObject({ text: 'hello', raw: undefined });
  });
});
