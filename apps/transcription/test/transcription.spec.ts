import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { common, transcription } from '@parlance/contracts';
import { FixtureRecognizer } from '@parlance/engines';
import type { ChunkPlan } from '@parlance/transcript';
import { bytesOf, recordingOf } from './recording.js';
import { ACCOUNT, silenced, TranscriptionHarness } from './transcription-harness.js';

const textsOf = (segments: { words: { text: string }[] }[]) => segments.flatMap(({ words }) => words.map(({ text }) => text));

const withOptions = (options: Partial<ChunkPlan['options']>) => (plan: ChunkPlan): ChunkPlan => ({ ...plan, options: { ...plan.options, ...options } });

/** What the engine hears when it is given the whole recording at once. */
async function heardInOnePiece(seconds: number): Promise<string[]> {
  const { words } = await new FixtureRecognizer().recognize({ pcm: bytesOf(recordingOf(seconds)), signal: AbortSignal.timeout(10_000) });
  return words.map(({ text }) => text);
}

/** Both channels have the recording; their chunks come in order of time. */
const ofTwoChannels = (plan: ChunkPlan): ChunkPlan => {
  const chunks = plan.chunks.flatMap((chunk) => [0, 1].map((channel) => ({ ...chunk, channel, audioKey: `${chunk.audioKey}.${channel}` })));
  return { ...plan, channels: 2, channelNames: ['Ada'], chunks: chunks.map((chunk, index) => ({ ...chunk, index })) };
};

describe('the transcription service', () => {
  let harness: TranscriptionHarness;

  const start = async (env?: Record<string, string>) => {
    harness = await TranscriptionHarness.start(env);
  };
  afterEach(() => harness[Symbol.asyncDispose]());

  describe('with an engine that works', () => {
    beforeEach(() => start());

    it('makes one transcript of the whole recording, though every chunk is delivered twice and in any order', async () => {
      const plan = await harness.storeMedia('job_1');
      await harness.mediaReady(plan);
      for (const index of [3, 1, 2, 0]) await harness.service.republish(await harness.requestChunk(plan, index));
      const completed = await harness.awaitEvent('transcript.completed', 'job_1');
      await harness.settled();
      // Events of other topics may come later.
      await harness.awaitEvent('chunk.transcribed', 'job_1', 4);
      await harness.awaitEvent('stage.started', 'job_1');

      expect(harness.heard('transcript.completed', 'job_1')).toHaveLength(1);
      expect(harness.heard('chunk.transcribed', 'job_1')).toHaveLength(4);
      expect(harness.heard('stage.started', 'job_1')).toHaveLength(1);
      const { header, segments } = await harness.transcript('job_1');
      expect(textsOf(segments)).toEqual(await heardInOnePiece(20));
      expect(header).toMatchObject({ language: 'en', duration: 20, engine: 'fixture', segmentCount: segments.length });
      expect(completed).toMatchObject({ segmentCount: segments.length, wordCount: textsOf(segments).length, run: 1, options: { highlights: true } });
    });

    it('merges channels that are transcribed apart by time, with a speaker for each, and shows finished chunks so', async () => {
      const plan = await harness.storeMedia('job_1', { change: ofTwoChannels });
      await harness.mediaReady(plan);
      await harness.awaitEvent('transcript.completed', 'job_1');
      const { header, segments } = await harness.transcript('job_1');
      for (const channel of [0, 1]) {
        const own = segments.filter((segment) => segment.channel === channel);
        expect(textsOf(own)).toEqual(await heardInOnePiece(20));
        expect(new Set(own.flatMap(({ speakerId, words }) => [speakerId, ...words.map((word) => word.speakerId)]))).toEqual(new Set([`S${channel + 1}`]));
      }
      expect(segments.map(({ start }) => start)).toEqual(segments.map(({ start }) => start).toSorted((one, other) => one - other));
      expect(header?.speakers).toMatchObject([{ speakerId: 'S1', name: 'Ada' }, { speakerId: 'S2', name: 'Speaker 2' }]);
      const provisional = await harness.chunkSegments('job_1', 0);
      expect(new Set(provisional.segments.map(({ channel, speakerId }) => `${channel} ${speakerId}`))).toEqual(new Set(['0 S1', '1 S2']));
      await harness.client.mergeSpeakers({ accountId: ACCOUNT, jobId: 'job_1', from: 'S2', into: 'S1' });
      const merged = await harness.transcript('job_1');
      expect(new Set(merged.segments.map(({ channel, speakerId }) => `${channel} ${speakerId}`))).toEqual(new Set(['0 S1', '1 S1']));
      expect(await harness.render('job_1', transcription.TranscriptFormat.TRANSCRIPT_FORMAT_SRT)).toContain('-->');
    });

    it('merges when the media becomes known after the last chunk', async () => {
      const plan = await harness.storeMedia('job_1');
      await harness.requestAll(plan);
      await harness.awaitEvent('chunk.transcribed', 'job_1', 4);
      await harness.mediaReady(plan);
      await harness.awaitEvent('transcript.completed', 'job_1');
    });

    it('makes the transcript without a chunk where there are none', async () => {
      const plan = await harness.storeMedia('job_1', { change: (whole) => ({ ...whole, chunks: [] }) });
      await harness.mediaReady(plan);
      expect(await harness.awaitEvent('transcript.completed', 'job_1')).toMatchObject({ segmentCount: 0, language: 'und' });
    });

    it('tells a newer run of a transcript that is there already', async () => {
      const plan = await harness.storeMedia('job_1');
      await harness.mediaReady(plan);
      await harness.requestAll(plan);
      await harness.awaitEvent('transcript.completed', 'job_1');
      await harness.mediaReady(plan, { run: 2 });
      expect(await harness.awaitEvent('transcript.completed', 'job_1', 2)).toMatchObject({ run: 2 });
    });

    it('reports the transcript again when ingest asks again, as the report may be lost', async () => {
      const plan = await harness.storeMedia('job_1');
      await harness.mediaReady(plan);
      const first = await harness.awaitEvent('transcript.completed', 'job_1');
      await harness.mediaReady(plan);
      expect(await harness.awaitEvent('transcript.completed', 'job_1', 2)).toEqual(first);
      await harness.awaitEvent('chunk.transcribed', 'job_1', plan.chunks.length);
      expect(harness.heard('chunk.transcribed', 'job_1')).toHaveLength(plan.chunks.length);
    });

    it('does a chunk again that a retry planned elsewhere', async () => {
      const plan = await harness.storeMedia('job_1');
      await harness.requestChunk(plan, 0);
      await harness.awaitEvent('chunk.transcribed', 'job_1');
      const newPlan = await harness.storeMedia('job_1', { chunkSeconds: 10 });
      await harness.mediaReady(newPlan, { run: 2 });
      await harness.requestAll(newPlan, { run: 2 });
      await harness.awaitEvent('transcript.completed', 'job_1');
      expect(textsOf((await harness.transcript('job_1')).segments)).toEqual(await heardInOnePiece(20));
    });

    it('gives the segments of finished chunks before the transcript is there, each word in one of them', async () => {
      const plan = await harness.storeMedia('job_1');
      expect(await harness.chunkSegments('job_1', 0)).toEqual({ segments: [], nextChunk: 0 });
      for (const index of [0, 1, 3]) await harness.requestChunk(plan, index);
      await harness.awaitEvent('chunk.transcribed', 'job_1', 3);
      const first = await harness.chunkSegments('job_1', 0);
      expect(first.nextChunk).toBe(2);
      expect(first.segments[0]).toMatchObject({ segmentId: 'chunk_000000_001' });
      expect(Math.max(...first.segments.map(({ end }) => end))).toBeLessThanOrEqual(10.5);
      await harness.requestChunk(plan, 2);
      await harness.awaitEvent('chunk.transcribed', 'job_1', 4);
      const rest = await harness.chunkSegments('job_1', first.nextChunk);
      expect(rest.nextChunk).toBe(4);
      await expect(harness.chunkSegments('job_1', 0, 'acc_2')).rejects.toMatchObject({ code: 'not_found' });
    });

    it('renders a transcript for its account alone', async () => {
      const plan = await harness.storeMedia('job_1');
      await harness.mediaReady(plan);
      await harness.requestAll(plan);
      await harness.awaitEvent('transcript.completed', 'job_1');
      const { TRANSCRIPT_FORMAT_VTT, TRANSCRIPT_FORMAT_TXT, TRANSCRIPT_FORMAT_DOCX, TRANSCRIPT_FORMAT_PDF } = transcription.TranscriptFormat;
      expect(await harness.render('job_1', TRANSCRIPT_FORMAT_VTT)).toMatch(/^WEBVTT\n\n00:00:0/);
      expect((await harness.render('job_1', TRANSCRIPT_FORMAT_TXT)).trim().split(/\s+/)).toEqual(await heardInOnePiece(20));
      expect(await harness.render('job_1', TRANSCRIPT_FORMAT_DOCX)).toMatch(/^PK.*word\/document\.xml/s);
      expect(await harness.render('job_1', TRANSCRIPT_FORMAT_PDF)).toMatch(/^%PDF-1\.7.*%%EOF\n?$/s);
      await expect(harness.render('job_1', TRANSCRIPT_FORMAT_VTT, 'acc_2')).rejects.toMatchObject({ code: 'not_found' });
      await expect(harness.transcript('job_1', 'acc_2')).rejects.toMatchObject({ code: 'not_found' });
      await expect(harness.transcript('job_2')).rejects.toMatchObject({ code: 'not_found' });
    });

    it('says which engine it runs', async () => {
      expect((await harness.engine()).engine).toMatchObject({ name: 'fixture', available: true, languages: expect.arrayContaining(['en']) });
    });

    it('leaves nothing of an erased job, nor of a chunk that comes later', async () => {
      const plan = await harness.storeMedia('job_1');
      await harness.mediaReady(plan);
      await harness.requestAll(plan);
      await harness.awaitEvent('transcript.completed', 'job_1');
      const [word] = textsOf((await harness.transcript('job_1')).segments);
      expect(harness.storedText()).toContain(word);

      await harness.service.republish(await harness.tell('job.deleted', 'job_1'));
      const report = await harness.awaitEvent('erasure.reported', 'job_1');
      expect(report).toMatchObject({ erasureId: 'era_1', what: 'transcript', where: 'transcription', count: 6 });
      await expect(harness.transcript('job_1')).rejects.toMatchObject({ code: 'not_found' });

      await harness.requestAll(plan, { run: 2 });
      await harness.mediaReady(plan, { run: 2 });
      await harness.settled();
      expect(harness.heard('erasure.reported', 'job_1')).toHaveLength(1);
      expect(harness.heard('transcript.completed', 'job_1')).toHaveLength(1);
      expect((await harness.chunkSegments('job_1', 0)).segments).toEqual([]);
    });
  });

  it('gives an empty transcript where nobody speaks, without asking the engine', async () => {
    await start({ SPEECH_ENGINE_URL: 'fixture:?failTimes=99' });
    const silent = await harness.storeMedia('job_1', { change: silenced });
    await harness.mediaReady(silent);
    await harness.requestAll(silent);
    expect(await harness.awaitEvent('transcript.completed', 'job_1')).toMatchObject({ wordCount: 0, segmentCount: 0 });
    expect(await harness.render('job_1', transcription.TranscriptFormat.TRANSCRIPT_FORMAT_SRT)).toBe('');
  });

  it('transcribes each job with the engine that it names, and says which', async () => {
    await start({ SPEECH_ENGINE_URL: 'fixture:?words=one', SPEECH_ENGINES: 'second=fixture:?words=two&language=de' });
    for (const [jobId, model] of [['job_1', undefined], ['job_2', 'second']] as const) {
      await harness.mediaReady(await harness.storeMedia(jobId, { change: withOptions({ model }) }), { options: common.JobOptions.fromPartial({ model }) });
    }
    expect(await harness.awaitEvent('transcript.completed', 'job_1')).toMatchObject({ language: 'en', detectedLanguage: 'en', languageConfidence: 1 });
    expect(await harness.awaitEvent('transcript.completed', 'job_2')).toMatchObject({ language: 'de', detectedLanguage: 'de' });
    expect(new Set(textsOf((await harness.transcript('job_1')).segments))).toEqual(new Set(['one']));
    const { segments } = await harness.transcript('job_2');
    expect(new Set(textsOf(segments))).toEqual(new Set(['two']));
    expect(new Set(segments.map(({ language }) => language))).toEqual(new Set(['de']));
    const { engines } = await harness.client.listEngines({});
    expect(engines.map(({ model, isDefault, isLocal }) => ({ model, isDefault, isLocal }))).toEqual([
      { model: 'default', isDefault: true, isLocal: true },
      { model: 'second', isDefault: false, isLocal: true },
    ]);
    await expect(harness.client.getEngine({ model: 'third' })).rejects.toMatchObject({ code: 'model_unknown' });
  });

  it('writes the spellings that the job asks for, also before the transcript is complete', async () => {
    await start({ SPEECH_ENGINE_URL: 'fixture:?words=one' });
    const replace = [{ from: 'ONE', to: 'Eins' }];
    await harness.mediaReady(await harness.storeMedia('job_1', { change: withOptions({ replace }) }), { options: common.JobOptions.fromPartial({ spelling: { replace } }) });
    await harness.awaitEvent('transcript.completed', 'job_1');
    for (const { segments } of [await harness.transcript('job_1'), await harness.chunkSegments('job_1', 0)]) expect(new Set(textsOf(segments))).toEqual(new Set(['Eins']));
  });

  it('says that a language was detected only when it was', async () => {
    await start();
    const plan = await harness.storeMedia('job_1', { change: withOptions({ language: 'de' }) });
    await harness.mediaReady(plan, { options: common.JobOptions.fromPartial({ language: 'de' }) });
    expect(await harness.awaitEvent('transcript.completed', 'job_1')).toMatchObject({ language: 'de', detectedLanguage: undefined, languageConfidence: undefined });
  });

  it('fails a job whose language is none of those expected, and transcribes it in the fallback where there is one', async () => {
    await start({ SPEECH_ENGINE_URL: 'fixture:?language=fr' });
    const detection = { expected: ['de', 'en'] };
    await harness.mediaReady(await harness.storeMedia('job_1', { change: withOptions({ detection }) }));
    expect(await harness.awaitEvent('stage.finished', 'job_1')).toMatchObject({
      status: common.StageStatus.STAGE_STATUS_FAILED,
      error: { code: 'language_uncertain', retryable: false, message: expect.stringContaining('(de, en)') },
    });
    await harness.mediaReady(await harness.storeMedia('job_2', { change: withOptions({ detection: { ...detection, fallback: 'en' } }) }));
    expect(await harness.awaitEvent('transcript.completed', 'job_2')).toMatchObject({
      language: 'en', detectedLanguage: undefined, warnings: [expect.objectContaining({ code: 'language_uncertain' })],
    });
    expect(harness.heard('transcript.completed', 'job_1')).toEqual([]);
  });

  it('says of an engine that is not installed that it is not available', async () => {
    await start({ SPEECH_ENGINE_URL: 'pocketsphinx:?binary=/nowhere/pocketsphinx' });
    expect(await harness.engine()).toMatchObject({ engine: { name: 'pocketsphinx', available: false }, maxChunkSeconds: 300 });
  });

  it('tries a failed chunk again, then says where in the media it failed and why; a retry does only what is missing', async () => {
    await start({ SPEECH_ENGINE_URL: 'fixture:?failTimes=2', CHUNK_MAX_ATTEMPTS: '2' });
    const plan = await harness.storeMedia('job_1');
    await harness.requestChunk(plan, 2);
    const failed = await harness.awaitEvent('chunk.failed', 'job_1');
    expect(failed).toMatchObject({ index: 2, total: 4, run: 1, error: { code: 'engine_failed' } });
    expect(failed.error!.message).toBe('Chunk 3 of 4 (00:00:09–00:00:16) could not be transcribed: The fixture engine fails as configured.');

    await harness.requestChunk(plan, 2, { run: 2 });
    await harness.awaitEvent('chunk.transcribed', 'job_1');
    expect(harness.heard('chunk.failed', 'job_1')).toHaveLength(1);
  });

  it('gives up a hanging engine at the deadline, and tries again', async () => {
    await start({ SPEECH_ENGINE_URL: 'fixture:?hangTimes=1', CHUNK_TIMEOUT_SECONDS: '1' });
    const plan = await harness.storeMedia('job_1', { seconds: 10 });
    await harness.mediaReady(plan);
    await harness.requestAll(plan);
    expect(await harness.awaitEvent('transcript.completed', 'job_1')).toMatchObject({ wordCount: expect.any(Number) });
  });

  it('fails a chunk at once when the engine says that another try would end alike', async () => {
    await start({ SPEECH_ENGINE_URL: 'pocketsphinx:?binary=/nowhere/pocketsphinx', CHUNK_MAX_ATTEMPTS: '9' });
    const plan = await harness.storeMedia('job_1', { seconds: 10 });
    await harness.requestChunk(plan, 0);
    const { error } = await harness.awaitEvent('chunk.failed', 'job_1');
    expect(error).toMatchObject({ code: 'engine_failed', retryable: false });
    expect(await harness.service.bus.deadLetters.list()).toEqual([]);
  });

  it('reports a failed chunk again when ingest asks again, as the report may be lost', async () => {
    await start({ SPEECH_ENGINE_URL: 'fixture:?failTimes=1', CHUNK_MAX_ATTEMPTS: '1' });
    const plan = await harness.storeMedia('job_1', { seconds: 4 });
    await harness.mediaReady(plan);
    const first = await harness.awaitEvent('chunk.failed', 'job_1');
    await harness.mediaReady(plan);
    expect(await harness.awaitEvent('chunk.failed', 'job_1', 2)).toEqual(first);
    await harness.settled();
    expect(harness.heard('transcript.completed', 'job_1')).toEqual([]);
  });

  it('fails the stage when the chunks cannot be put together', async () => {
    await start();
    const plan = await harness.storeMedia('job_1', { seconds: 10 });
    await harness.mediaReady({ ...plan, chunks: [] }, { planKey: `${ACCOUNT}/job_1/lost.json` });
    expect(await harness.awaitEvent('stage.finished', 'job_1')).toMatchObject({ status: 'STAGE_STATUS_FAILED', error: { code: 'internal' } });
  });

  it('stops the engine of a canceled job and begins no more of its chunks', async () => {
    await start({ SPEECH_ENGINE_URL: 'fixture:?hangTimes=99&parallelism=1' });
    const plan = await harness.storeMedia('job_1');
    await harness.mediaReady(plan);
    await harness.requestAll(plan);
    await harness.awaitEvent('stage.started', 'job_1');
    await harness.tell('job.canceled', 'job_1');
    // With one chunk at a time, a chunk without speech of another job is done only once the hanging ones are out of the way.
    const other = await harness.storeMedia('job_2', { seconds: 2, change: silenced });
    await harness.mediaReady(other);
    await harness.requestAll(other);
    await harness.awaitEvent('transcript.completed', 'job_2');
    expect(harness.heard('chunk.transcribed', 'job_1')).toEqual([]);
    expect(harness.heard('chunk.failed', 'job_1')).toEqual([]);
  });

  it('leaves nothing of a job that was erased while its chunk was at work', async () => {
    await start({ SPEECH_ENGINE_URL: 'fixture:?delayMs=60000' });
    const plan = await harness.storeMedia('job_1');
    await harness.mediaReady(plan);
    await harness.requestAll(plan);
    await harness.awaitEvent('stage.started', 'job_1');
    await harness.tell('job.deleted', 'job_1');
    await harness.awaitEvent('erasure.reported', 'job_1');
    await harness.settled();
    expect((await harness.chunkSegments('job_1', 0)).segments).toEqual([]);
    expect(harness.heard('transcript.completed', 'job_1')).toEqual([]);
  });
});
