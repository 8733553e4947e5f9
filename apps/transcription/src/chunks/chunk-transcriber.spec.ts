import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DEFAULT_MODEL, FixtureRecognizer, NoPunctuator, SpeechEngines, type FixtureRecognizerOptions, type RecognitionRequest, type SpeechRecognizer } from '@parlance/engines';
import { silentLogger, systemClock } from '@parlance/platform';
import { openMediaStore, type MediaStore } from '@parlance/storage';
import { audioOf, planOf, recordingOf } from '../../test/recording.js';
import { ChunkPunctuator } from './chunk-punctuator.js';
import { ChunkTranscriber } from './chunk-transcriber.js';
import { LiveFinalsReader } from './live-finals-reader.js';

const never = new AbortController().signal;
const bare = new ChunkPunctuator(new NoPunctuator(), silentLogger());
const [chunk] = planOf('job_1', 'acc_1/job_1', 10, 10).chunks;
if (!chunk) throw new RangeError('a plan has chunks');

let folder: string;
let media: MediaStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parlance-chunk-'));
  media = await openMediaStore(`file:${folder}`);
  await media.put(chunk.audioKey, one(audioOf(recordingOf(10), chunk)));
});
afterEach(() => rm(folder, { recursive: true }));

describe('a chunk', () => {
  it('is recognised as the plan says that the caller asked', async () => {
    const { engine, asked } = listening();
    await new ChunkTranscriber(engine, bare, media, systemClock, { CHUNK_TIMEOUT_SECONDS: 60 }, new LiveFinalsReader(media)).transcribe(chunk, { language: 'de', vocabulary: ['Parlance'] }, never);
    expect(asked).toMatchObject([{ language: 'de', vocabulary: ['Parlance'] }]);
  });

  it('that is longer than the engine takes is refused, once and for all', async () => {
    const { engine, asked } = listening({ maxChunkSeconds: 5 });
    const outcome = new ChunkTranscriber(engine, bare, media, systemClock, { CHUNK_TIMEOUT_SECONDS: 60 }, new LiveFinalsReader(media)).transcribe(chunk, { vocabulary: [] }, never);
    await expect(outcome).rejects.toMatchObject({ code: 'engine_failed', retryable: false, message: expect.stringContaining('5 seconds') });
    expect(asked).toEqual([]);
  });
});

function listening(options: FixtureRecognizerOptions = {}): { engine: SpeechEngines; asked: RecognitionRequest[] } {
  const asked: RecognitionRequest[] = [];
  const engine = new FixtureRecognizer(options);
  const recognize = (request: RecognitionRequest) => (asked.push(request), engine.recognize(request));
  const recognizer: SpeechRecognizer = { info: engine.info, check: () => engine.check(), recognize, close: () => engine.close() };
  return { engine: new SpeechEngines({ model: DEFAULT_MODEL, recognizer }), asked };
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
