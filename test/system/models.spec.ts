import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NO_ADD_ONS, SAMPLES, SpeechServer, startParlance, totalsOf, type JobAnswer, type Parlance, type Problem } from '@parlance/testing';

const SPOKEN = 'The damn plan is ready. We begin um on Monday the twenty third.';
/** An engine that detects French in any audio, with a high confidence. */
const FRENCH = 'fixture:?language=fr&words=oui,non';
/** An engine that writes neither punctuation nor capitals. */
const BARE = 'fixture:?formatsText=false&words=mary';

describe('speech engines that a job chooses by name', () => {
  let parlance: Parlance;
  let server: SpeechServer;
  beforeAll(async () => {
    server = await SpeechServer.start(() => SPOKEN);
    parlance = await startParlance({ env: { SPEECH_ENGINE_URL: 'pocketsphinx:', SPEECH_ENGINES: `server=${server.url},french=${FRENCH},bare=${BARE}`, SPEECH_ENGINE_PRICES: 'server=0.006EUR' } });
  });
  afterAll(async () => {
    await parlance.dispose();
    await server[Symbol.asyncDispose]();
  });

  /** A job of the short sample, once it has ended, with its words. */
  async function transcribed(fields: Record<string, string>): Promise<JobAnswer> {
    const jobId = await parlance.api.upload(SAMPLES.reading.path, { ...NO_ADD_ONS, ...fields });
    await parlance.api.terminal(jobId);
    return parlance.api.job(jobId, '?include=words');
  }

  const wordsOf = ({ transcript }: JobAnswer) => transcript?.segments.flatMap(({ words = [] }) => words) ?? [];

  it('are listed with what they can do', async () => {
    const { data } = await parlance.api.json<{ data: Record<string, unknown>[] }>('/models');
    expect(data).toMatchObject([
      { model: 'default', engine: 'pocketsphinx', is_default: true, hosting: 'local', languages: ['en'], reports_language: false, word_confidence: 'always', language_confidence: 'never' },
      { model: 'server', engine: 'openai:test-model', is_default: false, hosting: 'external', reports_language: true, price: { per_minute: 0.006, currency: 'EUR' } },
      { model: 'french', engine: 'fixture', formats_text: true },
      { model: 'bare', engine: 'fixture', formats_text: false },
    ]);
    expect(await parlance.api.json('/languages')).toMatchObject({ model: 'default', languages: [{ code: 'en' }] });
    expect((await parlance.api.json<{ languages: unknown[] }>('/languages?model=server')).languages.length).toBeGreaterThan(50);
  });

  it('are named where the server says what it is', async () => {
    expect(await parlance.api.json('')).toMatchObject({ name: 'Parlance', api_version: '1.0.0', links: { models: '/api/v1/models' } });
  });

  it('transcribe the same recording each in its way, at once, and say no more than they know', async () => {
    const [builtIn, external] = await Promise.all([transcribed({}), transcribed({ model: 'server' })]);
    expect(builtIn).toMatchObject({ status: 'completed', model: 'default', stages: { transcription: { engine: 'pocketsphinx' } } });
    expect(external).toMatchObject({ status: 'completed', model: 'server', stages: { transcription: { engine: 'openai:test-model' } } });
    expect(external.transcript?.text).toBe(SPOKEN);
    expect(builtIn.transcript?.text).not.toBe(SPOKEN);

    // The built-in engine writes bare words, the server sentences.
    expect([builtIn, external].map(({ transcript }) => transcript?.formatting)).toEqual(['rules', 'engine']);
    expect(builtIn.transcript?.text).toMatch(/^\p{Lu}.*\p{Ll}\.$/u);
    expect(wordsOf(builtIn)[0]?.raw).toMatch(/^\p{Ll}+$/u);
    for (const word of wordsOf(external)) expect(word).not.toHaveProperty('raw');

    // The built-in engine detects no language; the server says which it detected, but not how sure it is of that, or of a word.
    expect(builtIn.language).toEqual({ transcript: 'en' });
    expect(external.language).toEqual({ detected: 'en', transcript: 'en' });
    expect(external.transcript?.segments.map(({ language }) => language)).toEqual(['en', 'en']);
    for (const part of [...(external.transcript?.segments ?? []), ...wordsOf(external)]) expect(part).not.toHaveProperty('confidence');
    for (const word of wordsOf(builtIn)) expect(word.confidence).toBeGreaterThanOrEqual(0);

    const counted = { 'parlance_chunk_processing_seconds_count{engine="openai:test-model",model="server"}': 1, 'parlance_chunk_processing_seconds_count{engine="pocketsphinx",model="default"}': 1 };
    expect(await totalsOf(parlance, counted)).toEqual(counted);
  });

  it('have other spellings where the job asks for them', async () => {
    const job = await transcribed({ model: 'server', replace: JSON.stringify([{ from: 'the damn plan', to: 'Plan A' }]) });
    expect(job.transcript?.text).toBe('Plan A is ready. We begin um on Monday the twenty third.');
  });

  it('have the terms of a saved vocabulary in place of those that sound like them', async () => {
    const saved = await parlance.api.post('/vocabularies', { name: 'Plans', phrases: [{ phrase: 'Plan B', sounds_like: ['the damn plan'] }] });
    expect(saved.status).toBe(201);
    const { vocabulary_id: id } = (await saved.json()) as { vocabulary_id: string };
    const job = await transcribed({ model: 'server', vocabulary_id: id });
    expect(job.transcript?.text).toBe('Plan B is ready. We begin um on Monday the twenty third.');
  });

  it('have numbers in figures and unwanted words left out where the job asks for it, and keep what was said', async () => {
    const job = await transcribed({ model: 'server', numerals: 'true', filters: JSON.stringify({ profanity: 'mask', fillers: 'remove' }) });
    expect(job.transcript?.text).toBe('The d*** plan is ready. We begin on Monday the 23rd.');
    expect(wordsOf(job).map(({ text, raw = text }) => raw).join(' ')).toBe(SPOKEN);
  });

  it('have bare words as they are where the job asks for it', async () => {
    const [formatted, bare] = await Promise.all([transcribed({ model: 'bare' }), transcribed({ model: 'bare', formatting: 'none' })]);
    expect(formatted.transcript).toMatchObject({ formatting: 'rules', text: expect.stringMatching(/^Mary(.* Mary)?\.$/) });
    expect(bare.transcript).toMatchObject({ formatting: 'none', text: expect.stringMatching(/^mary( mary)*$/) });
    expect(wordsOf(formatted).map(({ raw }) => raw).join(' ')).toBe(bare.transcript?.text);
    const document = await parlance.api.transcript(formatted.job_id, 'json');
    expect(JSON.parse(document)).toMatchObject({ formatting: 'rules', text: formatted.transcript?.text });
  });

  it('leave a job alone whose language is none of those expected, and bill nothing for it', async () => {
    const job = await transcribed({ model: 'french', language: JSON.stringify({ expected: ['de', 'en'] }) });
    expect(job).toMatchObject({ status: 'failed', error: { code: 'language_uncertain', retryable: false }, language: { expected: ['de', 'en'] } });
    expect(job).toMatchObject({ usage: { billed_seconds: 0 } });
    expect(job).not.toHaveProperty('transcript');
  });

  it('transcribe it in the fallback where the job names one', async () => {
    const job = await transcribed({ model: 'french', language: JSON.stringify({ expected: ['de', 'en'], min_confidence: 0.5, fallback: 'de' }) });
    expect(job).toMatchObject({ status: 'completed', language: { expected: ['de', 'en'], fallback: 'de', transcript: 'de' } });
    expect(job.language).not.toHaveProperty('detected');
    expect(job.warnings.map(({ code }) => code)).toContain('language_uncertain');
  });

  it('are refused under a name that does not exist', async () => {
    const answer = await parlance.api.post('/transcriptions', { audio_url: 'https://example.org/a.mp3', model: 'large' });
    const { status, code, errors } = (await answer.json()) as Problem;
    expect({ status, code, errors }).toEqual({
      status: 422,
      code: 'model_unknown',
      errors: [{ pointer: '/model', code: 'model_unknown', detail: 'There is no such model. The models are: default, server, french, bare.' }],
    });
  });
});
