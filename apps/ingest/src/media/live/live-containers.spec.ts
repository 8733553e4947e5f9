import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from '@jest/globals';
import { common, mediaKeys } from '@parlance/contracts';
import type { VoiceActivityDetector } from '@parlance/engines';
import { silentLogger } from '@parlance/platform';
import { DiskReserve, openMediaStore, type MediaStore } from '@parlance/storage';
import { MediaFiles, noise } from '@parlance/testing';
import { writeObject } from '../../../test/stored-objects.js';
import { createLocalMediaDecoder } from '../local-media-decoder.js';
import type { MediaDecoder } from '../media-decoder.js';
import { createMediaPipeline } from '../media-pipeline.js';
import { createMediaSandbox } from '../sandbox.js';
import { ScratchBudget } from '../scratch-budget.js';
import { storePieceList } from './live-pieces.js';
import { LiveRecording } from './live-recording.js';

const { LIVE_ENCODING_ALAW, LIVE_ENCODING_MULAW, LIVE_ENCODING_PCM_S16LE, LIVE_ENCODING_UNSPECIFIED } = common.LiveEncoding;
const OWNER = { accountId: 'acc_1', jobId: 'job_1' };
const keys = mediaKeys(OWNER.accountId, OWNER.jobId);
const SECONDS = 20;
const PIECE = 16_001;

const hearsNobody: VoiceActivityDetector = {
  async *detect(pcm) {
    for await (const block of pcm) void block;
    yield* [];
  },
};

let made: MediaFiles;
let decoder: MediaDecoder;
const opened = new AsyncDisposableStack();
beforeAll(async () => {
  const { folder: scratchFolder } = (made = opened.use(await MediaFiles.create()));
  decoder = createLocalMediaDecoder(createMediaSandbox({ scratchFolder, log: silentLogger() }));
});
afterAll(() => opened.disposeAsync());

let files: MediaFiles;
let store: MediaStore;
beforeEach(async () => {
  files = await MediaFiles.create();
  store = await openMediaStore(`file:${files.path('store')}`);
});
afterEach(() => files[Symbol.asyncDispose]());

async function joinedAndPrepared(audio: common.LiveAudio, recorded: Uint8Array) {
  const pieces: string[] = [];
  for (let offset = 0; offset < recorded.length; offset += PIECE) {
    pieces.push(keys.livePiece(offset, 1));
    await writeObject(store, keys.livePiece(offset, 1), recorded.subarray(offset, offset + PIECE));
  }
  await storePieceList(store, keys, pieces);
  const { signal } = new AbortController();
  await new LiveRecording(store).join({ ...OWNER, audio, signal });
  const scratchFolder = made.folder;
  return createMediaPipeline({ store, decoder, voiceActivity: hearsNobody, scratchFolder, budget: new ScratchBudget(new DiskReserve(scratchFolder)) }).prepare({
    ...OWNER,
    options: { vocabulary: [] },
    lengths: { idealSeconds: 30, maxSeconds: 60 },
    maxDurationSeconds: 3600,
    signal,
  });
}

/** What a client streams: ffmpeg writes into a pipe, so that no header states what comes at the end. */
async function streamed(name: string, ...options: string[]): Promise<Buffer> {
  const path = await files.make(`${name}.bin`, ...noise(SECONDS), ...options, '-flush_packets', '1', '-seekable', '0');
  return readFile(path);
}

const container: common.LiveAudio = { encoding: LIVE_ENCODING_UNSPECIFIED, sampleRate: 0, channels: 0 };

describe('a container that arrived live', () => {
  const formats: [name: string, format: string, ...options: string[]][] = [
    ['WebM without a length', 'matroska,webm', '-c:a', 'libopus', '-f', 'webm', '-live', '1'],
    ['MP4 in fragments', 'mov,mp4,m4a,3gp,3g2,mj2', '-c:a', 'aac', '-f', 'mp4', '-movflags', 'frag_keyframe+empty_moov+default_base_moof', '-frag_duration', '500000'],
    ['Ogg', 'ogg', '-c:a', 'libopus', '-f', 'ogg'],
    ['MP3', 'mp3', '-c:a', 'libmp3lame', '-f', 'mp3', '-write_xing', '0'],
    ['FLAC', 'flac', '-c:a', 'flac', '-f', 'flac'],
    ['WAV of unknown length', 'wav', '-c:a', 'pcm_s16le', '-f', 'wav'],
  ];

  test.each(formats)('%s is decoded to its end, and as far as it goes when it breaks off', async (name, format, ...options) => {
    const whole = await streamed(name, ...options);
    const { media, warnings } = await joinedAndPrepared(container, whole);
    expect(media).toMatchObject({ format, sizeBytes: whole.length, sha256: createHash('sha256').update(whole).digest('hex'), duration: expect.closeTo(SECONDS, 0) });
    expect(warnings).toEqual([]);
    await store.removePrefix(keys.all);
    const brokenOff = await joinedAndPrepared(container, whole.subarray(0, Math.floor(whole.length * 0.63)));
    expect(brokenOff.media.duration).toBeGreaterThan(SECONDS * 0.55);
    expect(brokenOff.media.duration).toBeLessThan(SECONDS * 0.7);
  });
});

describe('raw audio that arrived live', () => {
  test.each([
    ['PCM', LIVE_ENCODING_PCM_S16LE, 48_000, 2, 's16le', 'pcm_s16le'],
    ['mu-law', LIVE_ENCODING_MULAW, 8000, 1, 'mulaw', 'pcm_mulaw'],
    ['A-law', LIVE_ENCODING_ALAW, 8000, 1, 'alaw', 'pcm_alaw'],
  ])('%s is decoded, but for half a sample at its end', async (_, encoding, sampleRate, channels, format, codec) => {
    const path = await files.make('raw.bin', ...noise(3), '-ar', String(sampleRate), '-ac', String(channels), '-f', format);
    const { media, warnings } = await joinedAndPrepared({ encoding, sampleRate, channels }, Buffer.concat([await readFile(path), Buffer.from([1])]));
    expect(media).toMatchObject({ format: 'wav', codec, sampleRate, channels, duration: expect.closeTo(3, 2) });
    expect(warnings).toEqual([]);
  });
});

it('is nothing that can be transcribed when it is no audio', async () => {
  await expect(joinedAndPrepared(container, Buffer.from('<html>'.repeat(1000)))).rejects.toMatchObject({ code: 'media_unsupported' });
});
