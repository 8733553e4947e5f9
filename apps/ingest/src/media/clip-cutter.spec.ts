import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { FairPlaces } from '@parlance/event-bus';
import { silentLogger } from '@parlance/platform';
import { DiskReserve, openMediaStore, type MediaStore } from '@parlance/storage';
import { MediaFiles } from '@parlance/testing';
import { writeObject } from '../../test/stored-objects.js';
import { ClipCutter } from './clip-cutter.js';
import { createLocalMediaDecoder } from './local-media-decoder.js';
import { CLIP_FORMATS, type Clip, type MediaDecoder } from './media-decoder.js';
import { createMediaSandbox } from './sandbox.js';
import { ScratchBudget } from './scratch-budget.js';

const run = promisify(execFile);

describe('a clip of a recording', () => {
  const opened = new AsyncDisposableStack();
  let files: MediaFiles;
  let scratchFolder: string;
  let store: MediaStore;
  let decoder: MediaDecoder;
  beforeAll(async () => {
    files = opened.use(await MediaFiles.create());
    scratchFolder = opened.use(await MediaFiles.create()).folder;
    decoder = createLocalMediaDecoder(createMediaSandbox({ scratchFolder, log: silentLogger() }));
    // Silence, and a tone from the fourth to the fifth second.
    await ffmpeg(['-f', 'lavfi', '-i', "aevalsrc='if(between(t,4,5),0.5*sin(2*PI*440*t),0)':s=44100:d=10", files.path('tone.mp3')]);
    await ffmpeg(['-f', 'lavfi', '-i', 'sine=f=440:d=3', '-f', 'lavfi', '-i', 'color=c=black:s=64x64:r=10:d=5', '-filter_complex', '[0:a]asetpts=PTS+2/TB[a]', '-map', '1:v', '-map', '[a]', files.path('late.mkv')]);
  });
  afterAll(() => opened.disposeAsync());
  beforeEach(async () => {
    store = await openMediaStore(`file:${files.path(`store-${Math.random()}`)}`);
  });
  afterEach(async () => {
    expect(await readdir(scratchFolder)).toEqual([]);
  });

  const ffmpeg = (args: string[]) => run('ffmpeg', ['-hide_banner', '-loglevel', 'error', '-y', ...args], { encoding: 'buffer', maxBuffer: 64 * 1024 * 1024 });
  const cutter = (options: { limitMs?: number; waitMs?: number; places?: FairPlaces } = {}) =>
    new ClipCutter({ store, decoder, scratchFolder, budget: new ScratchBudget(new DiskReserve(scratchFolder)), places: new FairPlaces(2), ...options });
  const REF = { accountId: 'acc_1', jobId: 'job_1' };
  const clip = (start: number, duration: number, format: Clip['format'] = 'wav') => cutter().cut({ ...REF, start, duration, format });
  const source = async (name: string) => writeObject(store, 'acc_1/job_1/source', await readFile(files.path(name)));

  async function bytesOf(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
    const all: Uint8Array[] = [];
    for await (const piece of pieces) all.push(piece);
    return Buffer.concat(all);
  }
  /** The loudness of each half second of the decoded clip. */
  async function heard(pieces: AsyncIterable<Uint8Array>): Promise<boolean[]> {
    const file = files.path('clip');
    await files.write('clip', await bytesOf(pieces));
    const { stdout } = await ffmpeg(['-i', file, '-f', 's16le', '-ar', '8000', '-ac', '1', 'pipe:1']);
    const samples = new Int16Array(stdout.buffer, stdout.byteOffset, Math.floor(stdout.length / 2));
    const halves = Array.from({ length: Math.round(samples.length / 4000) }, (_, half) => samples.subarray(half * 4000, half * 4000 + 4000));
    return halves.map((half) => half.filter((sample) => Math.abs(sample) > 1000).length > 1000);
  }

  it.each(CLIP_FORMATS)('has what is heard there, as %s', async (format) => {
    await source('tone.mp3');
    expect(await heard(clip(3, 3, format))).toEqual([false, false, true, true, false, false]);
  });

  it('is silent where the audio begins later than the video', async () => {
    await source('late.mkv');
    expect(await heard(clip(1, 2))).toEqual([false, false, true, true]);
    expect(await heard(clip(2.5, 1))).toEqual([true, true]);
  });

  it('leaves nothing behind when its reader leaves', async () => {
    await source('tone.mp3');
    const pieces = clip(0, 10);
    await pieces.next();
    await pieces.return(undefined);
    expect(await readdir(scratchFolder)).toEqual([]);
  });

  it('waits for a place only so long, and holds none while it is read', async () => {
    await source('tone.mp3');
    const places = new FairPlaces(1);
    const taken = Promise.withResolvers<void>();
    const held = places.run('acc_2', new AbortController().signal, () => taken.promise);
    const options = { places, waitMs: 50 };
    await expect(bytesOf(cutter(options).cut({ ...REF, start: 0, duration: 1, format: 'wav' }))).rejects.toMatchObject({ code: 'service_unavailable', retryable: true });
    taken.resolve();
    await held;
    const slow = cutter({ places }).cut({ ...REF, start: 0, duration: 10, format: 'wav' });
    await slow.next();
    expect((await bytesOf(cutter(options).cut({ ...REF, start: 0, duration: 1, format: 'wav' }))).length).toBeGreaterThan(10_000);
    await slow.return(undefined);
  });

  it('is ended when it was not read whole in the time of a clip', async () => {
    await source('tone.mp3');
    await expect(bytesOf(cutter({ limitMs: 1 }).cut({ ...REF, start: 0, duration: 10, format: 'wav' }))).rejects.toMatchObject({ code: 'service_unavailable' });
    let pieces = 0;
    const readSlowly = async () => {
      for await (const _ of cutter({ limitMs: 6000 }).cut({ ...REF, start: 0, duration: 10, format: 'wav' })) {
        pieces += 1;
        await setTimeout(6000);
      }
    };
    await expect(readSlowly()).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(pieces).toBe(1);
  });

  it.each([
    ['mono.wav', 1, 8000, 'wav', 8000],
    ['mono.wav', 1, 8000, 'ogg', 48_000],
    ['stereo.flac', 2, 22_050, 'mp3', 22_050],
    ['wide.wav', 6, 96_000, 'm4a', 48_000],
  ] as const)('of %s (%i channels, %i Hz) has as many channels, at most two, as %s at %i Hz', async (name, channels, rate, format, expected) => {
    await ffmpeg(['-f', 'lavfi', '-i', `sine=r=${rate}:d=3`, '-ac', String(channels), files.path(name)]);
    await source(name);
    await files.write('clip', await bytesOf(clip(1, 1, format)));
    const { stdout } = await run('ffprobe', ['-v', 'error', '-show_entries', 'stream=channels,sample_rate', '-of', 'json', files.path('clip')]);
    expect(JSON.parse(stdout)).toMatchObject({ streams: [{ channels: Math.min(channels, 2), sample_rate: String(expected) }] });
  });

  it('is refused without a recording, and of media that cannot be read', async () => {
    await expect(bytesOf(clip(0, 1))).rejects.toMatchObject({ code: 'not_found' });
    await writeObject(store, 'acc_1/job_1/source', Buffer.from('no media at all'));
    await expect(bytesOf(clip(0, 1))).rejects.toMatchObject({ code: 'media_unsupported' });
  });
});
