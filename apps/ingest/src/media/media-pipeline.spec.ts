import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test } from '@jest/globals';
import { common } from '@parlance/contracts';
import { SileroVoiceActivityDetector, type VoiceActivityDetector } from '@parlance/engines';
import { AppError, silentLogger } from '@parlance/platform';
import { DiskReserve, openMediaStore, type MediaStore } from '@parlance/storage';
import { MediaFiles, noise, pictures, SAMPLES, silence } from '@parlance/testing';
import type { ChunkPlan } from '@parlance/transcript';
import { keysUnder, readObject, writeObject } from '../../test/stored-objects.js';
import { createLocalMediaDecoder } from './local-media-decoder.js';
import type { MediaDecoder } from './media-decoder.js';
import { createMediaPipeline, type PrepareRequest } from './media-pipeline.js';
import { createMediaSandbox } from './sandbox.js';
import { ScratchBudget } from './scratch-budget.js';

const SOURCE = 'acc_1/job_1/source';
const PLAN = 'acc_1/job_1/plan.json';
const READING = SAMPLES.reading.path;

let scratchFolder: string;
let decoder: MediaDecoder;
let files: MediaFiles;
let store: MediaStore;

const opened = new AsyncDisposableStack();
beforeAll(async () => {
  scratchFolder = opened.use(await MediaFiles.create()).folder;
  decoder = createLocalMediaDecoder(createMediaSandbox({ scratchFolder, log: silentLogger() }));
});
afterAll(() => opened.disposeAsync());

beforeEach(async () => {
  files = await MediaFiles.create();
  store = await openMediaStore(`file:${files.path('store')}`);
});
afterEach(async () => {
  expect(await readdir(scratchFolder)).toEqual([]);
  await files[Symbol.asyncDispose]();
});

const silero = new SileroVoiceActivityDetector({ idleMs: 3_600_000 });
afterAll(() => silero.close());

/** Of noise it hears what Silero does, without a thread that loads it: where something else is asked. */
const hearsNobody: VoiceActivityDetector = {
  async *detect(pcm) {
    for await (const block of pcm) void block;
    yield* [];
  },
};

async function prepare(file: string, request: Partial<PrepareRequest> = {}, voiceActivity: VoiceActivityDetector = silero, maxScratchBytes?: number) {
  await writeObject(store, SOURCE, await readFile(file));
  return createMediaPipeline({ store, decoder, voiceActivity, scratchFolder, budget: new ScratchBudget(new DiskReserve(scratchFolder), maxScratchBytes) }).prepare({
    accountId: 'acc_1',
    jobId: 'job_1',
    options: { language: 'en', vocabulary: ['Parlance'] },
    lengths: { idealSeconds: 5, maxSeconds: 10 },
    maxDurationSeconds: 3600,
    signal: new AbortController().signal,
    ...request,
  });
}

const readPlan = async () => JSON.parse((await readObject(store, PLAN)).toString()) as ChunkPlan;
const audioKeys = () => keysUnder(store, 'acc_1/job_1/audio/');

describe('a recording', () => {
  it('becomes chunks of exactly its own samples, and a plan of them', async () => {
    const fractions: number[] = [];
    const prepared = await prepare(READING, { onProgress: (fraction) => fractions.push(fraction) });
    const source = await readFile(READING);
    expect(prepared).toEqual({
      media: {
        duration: expect.closeTo(9.34, 1),
        format: 'flac',
        codec: 'flac',
        sizeBytes: source.length,
        sampleRate: 16000,
        channels: 1,
        hasVideo: false,
        sha256: createHash('sha256').update(source).digest('hex'),
      },
      planKey: PLAN,
      audioPrefix: 'acc_1/job_1/audio/',
      chunksTotal: 2,
      warnings: [],
    });
    const plan = await readPlan();
    expect(plan).toMatchObject({ jobId: 'job_1', duration: prepared.media.duration, sampleRate: 16000, options: { language: 'en', vocabulary: ['Parlance'] } });
    expect(plan.chunks.map(({ audioKey }) => audioKey)).toEqual(['acc_1/job_1/audio/000000.pcm', 'acc_1/job_1/audio/000001.pcm']);
    expect(plan.chunks.every(({ speech }) => speech.length > 0)).toBe(true);
    const decoded = await readFile(await files.make('whole.s16le', '-i', READING, '-f', 's16le', '-ac', '1', '-ar', '16000'));
    for (const { audioKey, start, end } of plan.chunks) {
      const expected = decoded.subarray(Math.round(start * 16000) * 2, Math.round(end * 16000) * 2);
      expect((await readObject(store, audioKey)).equals(expected)).toBe(true);
    }
    expect(fractions).toEqual(fractions.toSorted((a, b) => a - b));
    expect(fractions.at(-1)).toBe(1);
  });

  it.each([['talk.mp4', 'aac'], ['talk.mkv', 'flac']])('in a video with silence around it is found at its place (%s)', async (name, codec) => {
    const file = await files.make(name, ...pictures(20), '-itsoffset', '6', '-i', READING, '-c:a', codec);
    const prepared = await prepare(file);
    expect(prepared.media).toMatchObject({ hasVideo: true, codec });
    const speech = (await readPlan()).chunks.flatMap((chunk) => chunk.speech);
    expect(speech[0]?.start).toBeGreaterThan(5.5);
    expect(speech[0]?.start).toBeLessThan(7.5);
  });

  it.each([
    ['channels', ['-ac', '1', '-ar', '44100'], ['-ac', '2', '-ar', '44100']],
    ['sample rate', ['-ac', '2', '-ar', '22050'], ['-ac', '2', '-ar', '48000']],
  ])('whose %s change on the way is no longer for it', async (_what, first, second) => {
    const parts = [await files.make('first.mp3', ...noise(4), ...first), await files.make('second.mp3', ...noise(6), ...second)];
    const joined = Buffer.concat(await Promise.all([0, 1, 0].map((part) => readFile(parts[part] ?? ''))));
    const { media } = await prepare(await files.write('joined.mp3', joined), {}, hearsNobody);
    expect(media.duration).toBeGreaterThan(13.5);
    expect(media.duration).toBeLessThan(15);
  });

  it('is decoded once its seconds and its scratch room are set aside, and no further than that', async () => {
    const file = await files.make('reserved.flac', ...silence(60));
    const asked: number[] = [];
    const reserveSeconds = async (seconds: number) => void asked.push(seconds);
    await prepare(file, { reserveSeconds }, hearsNobody, 12_000_000);
    expect(asked).toEqual([65]);
    // Twice 65 seconds of audio are 4.2 MB, of which one account gets two thirds.
    await expect(prepare(file, { reserveSeconds }, hearsNobody, 5_000_000)).rejects.toMatchObject({ code: 'storage_full', retryable: false });
    const none = new Error('none left');
    let heard = 0;
    const detector: VoiceActivityDetector = { detect: (pcm, signal) => ((heard += 1), hearsNobody.detect(pcm, signal)) };
    await expect(prepare(file, { reserveSeconds: () => Promise.reject(none) }, detector)).rejects.toBe(none);
    expect(heard).toBe(0);
  });

  it.each([['stereo', 2], ['quad', 4]])('whose channels are split (%s) becomes chunks of each channel, in order of time', async (layout, count) => {
    const gains = Array.from({ length: count }, (_, channel) => `c${channel}=${1 - channel * 0.2}*c0`).join('|');
    const file = await files.make('call.flac', '-i', READING, '-af', `pan=${layout}|${gains}`);
    const asked: number[] = [];
    const decoded: number[] = [];
    const channels = { mode: common.ChannelMode.CHANNEL_MODE_SPLIT, names: ['Ada'] };
    const prepared = await prepare(file, { channels, reserveSeconds: async (seconds) => void asked.push(seconds), onProgress: (_part, seconds) => decoded.push(seconds) });
    const { duration } = prepared.media;
    expect(prepared).toMatchObject({ media: { channels: count, splitChannels: count }, warnings: [] });
    expect([asked, decoded.at(-1)]).toEqual([[expect.closeTo((duration + 5) * count, 0)], expect.closeTo(duration * count, 3)]);
    const plan = await readPlan();
    expect(plan).toMatchObject({ channels: count, channelNames: ['Ada'] });
    expect(plan.chunks.map(({ index }) => index)).toEqual(plan.chunks.map((_, index) => index));
    expect(plan.chunks.map(({ ownStart }) => ownStart)).toEqual(plan.chunks.map(({ ownStart }) => ownStart).toSorted((one, other) => one - other));
    for (let channel = 0; channel < count; channel += 1) {
      const own = plan.chunks.filter((chunk) => chunk.channel === channel);
      expect([own[0]?.ownStart, own.at(-1)?.ownEnd]).toEqual([0, duration]);
      const whole = await readFile(await files.make('whole.s16le', '-i', file, '-filter_complex', `channelmap=${channel}:mono`, '-f', 's16le'));
      for (const { audioKey, start, end, speech } of own) {
        expect(speech.length).toBeGreaterThan(0);
        expect((await readObject(store, audioKey)).equals(whole.subarray(Math.round(start * 16000) * 2, Math.round(end * 16000) * 2))).toBe(true);
      }
    }
  });

  it('in a video with silence around it is at its place on each of the channels that are split', async () => {
    const file = await files.make('call.mkv', ...pictures(20), '-itsoffset', '6', '-i', READING, '-ac', '2', '-c:a', 'flac');
    const { media } = await prepare(file, { channels: { mode: common.ChannelMode.CHANNEL_MODE_SPLIT, names: [] } });
    expect(media).toMatchObject({ duration: expect.closeTo(15.3, 0), splitChannels: 2 });
    for (const channel of [0, 1]) {
      const speech = (await readPlan()).chunks.filter((chunk) => chunk.channel === channel).flatMap((chunk) => chunk.speech);
      expect(speech[0]?.start).toBeGreaterThan(5.5);
      expect(speech[0]?.start).toBeLessThan(7.5);
    }
  });

  it('needs scratch room for each channel that is split', async () => {
    const file = await files.make('reserved.flac', ...silence(60), '-ac', '2');
    const channels = { mode: common.ChannelMode.CHANNEL_MODE_SPLIT, names: [] };
    await prepare(file, { channels }, hearsNobody, 24_000_000);
    await expect(prepare(file, { channels }, hearsNobody, 12_000_000)).rejects.toMatchObject({ code: 'storage_full', retryable: false });
  });

  it('without speech has chunks that say so', async () => {
    await prepare(await files.make('quiet.wav', ...silence(12)));
    const { chunks } = await readPlan();
    expect(chunks.length).toBeGreaterThan(1);
    expect(chunks.flatMap(({ speech }) => speech)).toEqual([]);
  });

  it('that is cut off is prepared as far as it goes, with a warning', async () => {
    const prepared = await prepare(await files.cutOff(READING, 'cut.flac', 0.5), {}, hearsNobody);
    expect(prepared.warnings).toEqual([expect.objectContaining({ code: 'media_truncated' })]);
    expect(prepared.media.duration).toBeGreaterThan(3);
    expect(prepared.media.duration).toBeLessThan(7);
  });

  describe('that states its length', () => {
    const KINDS: [extension: string, options: string[]][] = [
      ['wav', ['-ac', '2']],
      ['wav', ['-c:a', 'pcm_s24le', '-metadata', 'title=before the sound']],
      ['wav', ['-c:a', 'pcm_mulaw']],
      ['wav', ['-rf64', 'always']],
      ['mp3', []],
      ['mp3', ['-ac', '2', '-q:a', '4']],
      ['mp3', ['-ar', '16000']],
      ['mp3', ['-ar', '8000', '-ac', '2', '-id3v2_version', '0']],
    ];
    const nameOf = (extension: string, options: string[]) => `whole${options.join('')}.${extension}`.replaceAll(/[ =:]/g, '');
    let made: MediaFiles;
    beforeAll(async () => {
      made = opened.use(await MediaFiles.create());
      await made.makeAll(noise(12), KINDS.map(([extension, options]) => [nameOf(extension, options), ...options]));
    });

    test.each(KINDS)('has that warning when it is cut off, as %s with %j, and whole it has none', async (extension, options) => {
      const whole = made.path(nameOf(extension, options));
      expect((await prepare(whole, {}, hearsNobody)).warnings).toEqual([]);
      const { media, warnings } = await prepare(await files.cutOff(whole, 'cut', 0.5), {}, hearsNobody);
      expect(warnings).toEqual([{ code: 'media_truncated', message: `The media states 12 seconds, of which ${Math.round(media.duration)} could be decoded.` }]);
    });
  });

  it.each(['data', 'RIFF'])('whose writer did not know its length yet, and left a placeholder for %s, has no warning', async (chunk) => {
    const wav = await readFile(await files.make('live.wav', ...noise(12)));
    for (const size of [0xffff_ffff, 0x8000_0000, 0x7fff_f000]) {
      const live = Buffer.from(wav);
      live.writeUInt32LE(size, live.indexOf('data') + 4);
      if (chunk === 'RIFF') live.writeUInt32LE(size, 4);
      const { media, warnings } = await prepare(await files.write('live', live), {}, hearsNobody);
      expect([Math.round(media.duration), warnings]).toEqual([12, []]);
    }
  });

  it('with other things after the sound, or joined of two, has no warning', async () => {
    const wav = await readFile(await files.make('whole.wav', ...noise(12)));
    const list = Buffer.concat([Buffer.from('LIST'), Buffer.from([200, 0, 0, 0]), Buffer.alloc(200)]);
    const tagged = Buffer.concat([wav, list]);
    tagged.writeUInt32LE(tagged.length - 8, 4);
    const mp3 = await readFile(await files.make('whole.mp3', ...noise(12)));
    const bare = await readFile(await files.make('bare.mp3', ...noise(12), '-write_xing', '0', '-q:a', '2'));
    const odd = [wav.subarray(0, wav.length - 100), tagged, tagged.subarray(0, -100), Buffer.concat([mp3, mp3]), Buffer.concat([mp3, Buffer.from('TAG'), Buffer.alloc(125)]), bare];
    for (const bytes of odd) expect((await prepare(await files.write('odd', bytes), {}, hearsNobody)).warnings).toEqual([]);
  });

  it('prepared again leaves the same, and nothing of a longer plan before it', async () => {
    await prepare(READING, {}, hearsNobody);
    const first = await readPlan();
    await writeObject(store, 'acc_1/job_1/audio/000007.pcm', Buffer.from('of an earlier run'));
    await prepare(READING, {}, hearsNobody);
    expect(await readPlan()).toEqual(first);
    expect(await audioKeys()).toEqual(first.chunks.map(({ audioKey }) => audioKey));
  });
});

describe('when it fails', () => {
  it('because of the media, the error says why and no plan is stored', async () => {
    const mute = await files.make('mute.mp4', ...pictures(2));
    await expect(prepare(mute)).rejects.toMatchObject({ code: 'media_no_audio' });
    await expect(prepare(await files.write('page', '<html></html>'))).rejects.toMatchObject({ code: 'media_unsupported' });
    await expect(prepare(await files.make('long.wav', ...silence(30)), { maxDurationSeconds: 10 })).rejects.toMatchObject({ code: 'media_too_long' });
    expect(await store.head(PLAN)).toBeUndefined();
  });

  it('because the store is full, its error is passed on', async () => {
    const put = store.put.bind(store);
    store.put = (key, body, options) => (key.endsWith('000001.pcm') ? Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' })) : put(key, body, options));
    await expect(prepare(READING, {}, hearsNobody)).rejects.toThrow('full');
    expect(await store.head(PLAN)).toBeUndefined();
  });

  it('because the detector does, ffmpeg ends with it', async () => {
    const deaf: VoiceActivityDetector = {
      async *detect(pcm) {
        for await (const block of pcm) if (block.length > 0) throw new Error('deaf');
        yield* [];
      },
    };
    await expect(prepare(await files.make('long.wav', ...silence(600)), {}, deaf)).rejects.toThrow('deaf');
  });

  it('because it is canceled, everything stops and the reason comes out', async () => {
    const abort = new AbortController();
    const long = await files.make('long.wav', ...silence(600));
    await expect(prepare(long, { signal: abort.signal, onProgress: () => abort.abort(new Error('canceled')) })).rejects.toThrow('canceled');
    expect(await audioKeys()).toEqual([]);
  });

  it('because it is aborted while the store is away, the outage comes out: it is why the time was not enough', async () => {
    const away = new AppError({ code: 'media_store_unavailable', message: 'The media store cannot be reached.' });
    const abort = new AbortController();
    const get = jest.spyOn(store, 'get').mockImplementation(async () => {
      abort.abort(new Error('too late'));
      throw away;
    });
    await expect(prepare(READING, { signal: abort.signal })).rejects.toBe(away);
    get.mockRestore();
  });
});
