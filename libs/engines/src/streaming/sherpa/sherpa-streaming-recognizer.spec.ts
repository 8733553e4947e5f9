import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import { noisePcm, writeModel } from '../../../test/tiny-models/model-folder.js';
import { tinyStreamingTransducer } from '../../../test/tiny-models/tiny-online.js';
import { describeStreamingRecognizerContract } from '../../contract/streaming-recognizer-contract.js';
import { SileroStreams } from '../../voice-activity/silero-streams.js';
import type { StreamingEngine } from '../streaming-engine.js';
import { streamingEngineFromUrl } from '../streaming-engine-from-url.js';

let modelsFolder: string;
let engine: StreamingEngine;

beforeAll(async () => {
  modelsFolder = await mkdtemp(join(tmpdir(), 'parlance-online-'));
  await writeModel(modelsFolder, 'zipformer-streaming-small-en', tinyStreamingTransducer());
  engine = streamingEngineFromUrl('sherpa-online:zipformer-streaming-small-en?threads=1', { speech: new SileroStreams(), modelsFolder });
});
afterAll(async () => {
  await engine.close();
  await rm(modelsFolder, { recursive: true });
});

describeStreamingRecognizerContract('SherpaStreamingRecognizer with a transducer', () => ({ recognizer: engine.recognizer, speech: { pcm: noisePcm(0.8, 1.28, 0.92, 2.5, 6, 0.7, 0.1, 0.4, 1.2), language: 'en' } }));
