import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SAMPLES, startParlance, type Parlance } from '@parlance/testing';
import { writeModel } from '../../libs/engines/test/tiny-models/model-folder.js';
import { tinyEmbedding, tinySegmentation } from '../../libs/engines/test/tiny-models/tiny-diarization.js';
import { tinyCtTransformer } from '../../libs/engines/test/tiny-models/tiny-punctuation.js';
import { tinyWhisper } from '../../libs/engines/test/tiny-models/tiny-whisper.js';

describe('the product with local models', () => {
  let parlance: Parlance;
  const opened = new AsyncDisposableStack();

  beforeAll(async () => {
    const models = opened.adopt(await mkdtemp(join(tmpdir(), 'parlance-models-')), (folder) => rm(folder, { recursive: true }));
    await writeModel(models, 'whisper-tiny', tinyWhisper());
    await writeModel(models, 'pyannote-segmentation-3.0', { 'model.onnx': tinySegmentation() });
    await writeModel(models, 'nemo-titanet-small', { 'nemo_en_titanet_small.onnx': tinyEmbedding() });
    await writeModel(models, 'punct-ct-transformer-zh-en', tinyCtTransformer({ meeting: { mark: '?' } }));
    const env = { MODELS_FOLDER: models, SPEECH_ENGINE_URL: 'sherpa:whisper-tiny', DIARIZATION_ENGINE_URL: 'sherpa:?embedding=nemo-titanet-small&step=0.5', SPEECH_ENGINES: 'bare=fixture:?formatsText=false&words=meeting', PUNCTUATION_ENGINE_URL: 'sherpa:punct-ct-transformer-zh-en' };
    parlance = opened.use(await startParlance({ env }));
  });
  afterAll(() => opened.disposeAsync());

  it('hears and tells speakers apart by them, and says which they are', async () => {
    const { api } = parlance;
    const jobId = await api.upload(SAMPLES.reading.path, { language: 'de' });
    const job = await api.terminal(jobId);
    expect(job).toMatchObject({ status: 'completed', stages: { transcription: { status: 'completed' }, diarization: { status: 'completed' } } });
    // What the tiny model says in German of whatever it hears.
    expect(job.transcript?.text).toContain('hallo Welt');
    expect(await (await api.request('GET', '/languages')).json()).toMatchObject({ engine: 'sherpa:whisper-tiny' });
  });

  it('has a model of punctuation write that of an engine with bare words', async () => {
    const { api } = parlance;
    const jobId = await api.upload(SAMPLES.reading.path, { model: 'bare', language: 'en' });
    await api.terminal(jobId);
    const job = await api.job(jobId, '?include=words');
    expect(job).toMatchObject({ status: 'completed', warnings: [], transcript: { formatting: 'model' } });
    const words = job.transcript?.segments.flatMap((segment) => segment.words ?? []) ?? [];
    expect(words.length).toBeGreaterThan(0);
    for (const word of words) expect(word).toMatchObject({ text: 'Meeting?', raw: 'meeting' });
  });
});
