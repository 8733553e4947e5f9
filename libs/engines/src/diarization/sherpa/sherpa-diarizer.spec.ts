import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writeModel } from '../../../test/tiny-models/model-folder.js';
import { tinyEmbedding, tinySegmentation } from '../../../test/tiny-models/tiny-diarization.js';
import type { AudioPiece, DiarizationResult } from '../speaker-diarizer.js';
import { SherpaDiarizer } from './sherpa-diarizer.js';

const RATE = 16_000;
const never = new AbortController().signal;
/** People by the tone of their voices, in Hz. */
const [LOW, HIGH, MIDDLE] = [200, 3000, 600];

interface Said {
  /** Undefined: nobody. */
  voice?: number;
  seconds: number;
}

function pcmOf(said: readonly Said[]): Uint8Array {
  const total = said.reduce((sum, { seconds }) => sum + seconds, 0);
  const samples = new Int16Array(Math.round(total * RATE));
  let at = 0;
  for (const { voice, seconds } of said) {
    const count = Math.round(seconds * RATE);
    for (let index = 0; index < count; index += 1) samples[at + index] = 10_000 * Math.sin((2 * Math.PI * (voice ?? 0) * index) / RATE);
    at += count;
  }
  return new Uint8Array(samples.buffer);
}

/** As the service gives it: pieces of at most `seconds`, each beginning `overlap` seconds before the one before ends. */
async function* pieces(pcm: Uint8Array, seconds: number, overlap = 0): AsyncGenerator<AudioPiece> {
  const bytes = seconds * RATE * 2;
  for (let from = 0; from < pcm.byteLength; from += bytes - overlap * RATE * 2) {
    const part = pcm.subarray(from, from + bytes);
    yield { start: from / RATE / 2, pcm: (async function* blocks() { yield part.subarray(0, 1001); yield part.subarray(1001); })(), speech: [] };
    if (from + bytes >= pcm.byteLength) return;
  }
}

/** `S1 1–4` for each turn, to the second. */
const described = ({ turns }: DiarizationResult) => turns.map(({ start, end, speakerId }) => `${speakerId} ${Math.round(start)}–${Math.round(end)}`);

describe('SherpaDiarizer', () => {
  let modelsFolder: string;
  let diarizer: SherpaDiarizer;

  beforeAll(async () => {
    modelsFolder = await mkdtemp(join(tmpdir(), 'parlance-sherpa-'));
    await writeModel(modelsFolder, 'pyannote-segmentation-3.0', { 'model.onnx': tinySegmentation() });
    await writeModel(modelsFolder, '3dspeaker-campplus-zh-en', { '3dspeaker_speech_campplus_sv_zh_en_16k-common_advanced.onnx': tinyEmbedding() });
    diarizer = new SherpaDiarizer({ modelsFolder, step: 0.4, threads: 1 });
  });
  afterAll(() => rm(modelsFolder, { recursive: true }));

  const conversation: Said[] = [{ seconds: 1 }, { voice: HIGH, seconds: 4 }, { seconds: 1 }, { voice: LOW, seconds: 5 }, { seconds: 1 }, { voice: HIGH, seconds: 6 }, { seconds: 2 }];

  it('tells who speaks when, named in the order of first speaking', async () => {
    const result = await diarizer.diarize({ audio: pieces(pcmOf(conversation), 30), signal: never });
    expect(described(result)).toEqual(['S1 1–5', 'S2 6–11', 'S1 12–18']);
    expect(result.speakerCount).toBe(2);
    expect(result.warnings).toBeUndefined();
  });

  it('finds people again over the blocks of a long recording, whatever its pieces', async () => {
    const long: Said[] = [
      { voice: LOW, seconds: 14 }, { seconds: 2 }, { voice: HIGH, seconds: 24 }, { seconds: 2 }, { voice: MIDDLE, seconds: 8 }, { seconds: 3 },
      { voice: HIGH, seconds: 10 }, { seconds: 1 }, { voice: LOW, seconds: 6 },
    ];
    const expected = ['S1 0–14', 'S2 16–40', 'S3 42–50', 'S2 53–63', 'S1 64–70'];
    const blockwise = new SherpaDiarizer({ modelsFolder, step: 0.4, threads: 1, blockSeconds: 15 });
    expect(described(await blockwise.diarize({ audio: pieces(pcmOf(long), 10, 2), signal: never }))).toEqual(expected);
    expect(described(await blockwise.diarize({ audio: pieces(pcmOf(long), 500), signal: never }))).toEqual(expected);
  });

  it('keeps to bounds where the voices allow, and says where they do not', async () => {
    const one = await diarizer.diarize({ audio: pieces(pcmOf(conversation), 30), maxSpeakers: 1, signal: never });
    expect(described(one)).toEqual(['S1 1–5', 'S1 6–11', 'S1 12–18']);
    const five = await diarizer.diarize({ audio: pieces(pcmOf(conversation), 30), minSpeakers: 5, signal: never });
    expect(five).toMatchObject({ speakerCount: 2, warnings: [{ code: 'speakers_below_minimum' }] });
  });

  it('hears nobody in silence, and in nothing', async () => {
    for (const seconds of [0, 0.5, 25]) {
      expect(await diarizer.diarize({ audio: pieces(pcmOf([{ seconds }]), 30), signal: never })).toEqual({ turns: [], speakerCount: 0 });
    }
  });

  it('ends when it is canceled, or its time is over', async () => {
    const abort = new AbortController();
    async function* endless(): AsyncGenerator<AudioPiece> {
      for (let start = 0; ; start += 60) {
        if (start === 300) abort.abort(new DOMException('late', 'TimeoutError'));
        yield { start, pcm: (async function* silence() { yield new Uint8Array(60 * RATE * 2); })(), speech: [] };
      }
    }
    await expect(diarizer.diarize({ audio: endless(), signal: abort.signal })).rejects.toMatchObject({ code: 'engine_timeout' });
    await expect(diarizer.diarize({ audio: endless(), signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'canceled' });
  });

  it('says which model is missing, and survives one that is damaged', async () => {
    const missing = new SherpaDiarizer({ modelsFolder, embedding: 'nemo-titanet-small' });
    await expect(missing.check()).rejects.toMatchObject({ code: 'engine_failed', retryable: true, message: expect.stringContaining('models get nemo-titanet-small') });
    const damaged = join(modelsFolder, 'damaged.onnx');
    await writeFile(damaged, 'no model');
    const broken = new SherpaDiarizer({ modelsFolder, segmentation: damaged });
    await expect(broken.diarize({ audio: pieces(pcmOf(conversation), 30), signal: never })).rejects.toMatchObject({ code: 'engine_failed', retryable: false });
  });
});
