import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mediaKeys } from '@parlance/contracts';
import { silentLogger } from '@parlance/platform';
import { DiskReserve, openMediaStore, readObject, type MediaStore } from '@parlance/storage';
import { MediaFiles } from '@parlance/testing';
import { writeObject } from '../../../test/stored-objects.js';
import { createLocalMediaDecoder } from '../local-media-decoder.js';
import { createMediaSandbox } from '../sandbox.js';
import { ScratchBudget } from '../scratch-budget.js';
import { AudioRedactor } from './audio-redactor.js';

const run = promisify(execFile);
const RATE = 16_000;
const REF = { accountId: 'acc_1', jobId: 'job_1' };
const KEYS = mediaKeys(REF.accountId, REF.jobId);

describe('a redacted recording', () => {
  const opened = new AsyncDisposableStack();
  let files: MediaFiles;
  let scratchFolder: string;
  let store: MediaStore;
  let redactor: AudioRedactor;
  beforeAll(async () => {
    files = opened.use(await MediaFiles.create());
    scratchFolder = opened.use(await MediaFiles.create()).folder;
    store = await openMediaStore(`file:${files.path('store')}`);
    redactor = new AudioRedactor({ store, decoder: createLocalMediaDecoder(createMediaSandbox({ scratchFolder, log: silentLogger() })), scratchFolder, budget: new ScratchBudget(new DiskReserve(scratchFolder)) });
    await ffmpeg(['-f', 'lavfi', '-i', 'sine=f=440:d=6', '-f', 'lavfi', '-i', 'sine=f=600:d=6', '-filter_complex', '[0:a][1:a]amerge=inputs=2', files.path('call.wav')]);
    await ffmpeg(['-f', 'lavfi', '-i', 'sine=f=440:d=4', '-f', 'lavfi', '-i', 'color=c=black:s=64x64:r=10:d=6', '-filter_complex', '[0:a]asetpts=PTS+2/TB[a]', '-map', '1:v', '-map', '[a]', files.path('late.mkv')]);
  });
  afterAll(() => opened.disposeAsync());

  const ffmpeg = (args: string[]) => run('ffmpeg', ['-hide_banner', '-loglevel', 'error', '-y', ...args], { encoding: 'buffer', maxBuffer: 64 * 1024 * 1024 });

  async function redacted(file: string, style: 'silence' | 'beep' = 'silence') {
    await writeObject(store, KEYS.source, await readFile(files.path(file)));
    const media = await redactor.redact({ ...REF, tracks: 1, duration: 6, stretches: [{ start: 3, end: 4 }], style, signal: new AbortController().signal });
    const bytes = Buffer.from(await readObject(store, KEYS.redacted(0)));
    expect(await readdir(scratchFolder)).toEqual([]);
    return { media, bytes, level: await levels(bytes, media.channels) };
  }

  /** The loudest sample of a part of the recording, of 1. */
  async function levels(ogg: Buffer, channels: number) {
    const decoding = run('ffmpeg', ['-hide_banner', '-loglevel', 'error', '-i', 'pipe:0', '-ar', String(RATE), '-f', 's16le', 'pipe:1'], { encoding: 'buffer', maxBuffer: 64 * 1024 * 1024 });
    decoding.child.stdin?.end(ogg);
    const samples = new Int16Array(Uint8Array.from((await decoding).stdout).buffer);
    return (start: number, end: number, channel = 0) =>
      Math.max(...samples.subarray(Math.round(start * RATE) * channels, Math.round(end * RATE) * channels).filter((_, at) => at % channels === channel).map(Math.abs)) / 32_768;
  }

  it('is silent where words are redacted, in both channels, and as before everywhere else', async () => {
    const { media, bytes, level } = await redacted('call.wav');
    expect(media).toMatchObject({ format: 'ogg', codec: 'opus', channels: 2, sizeBytes: bytes.length });
    for (const channel of [0, 1]) {
      expect(level(3.02, 3.98, channel)).toBeLessThan(0.005);
      expect(level(1, 2.9, channel)).toBeGreaterThan(0.05);
      expect(level(4.1, 5.9, channel)).toBeGreaterThan(0.05);
    }
    const peaks = new Int8Array(Uint8Array.from(await readObject(store, KEYS.peaks)).buffer);
    expect([...peaks.subarray(2 * 50 * 3, 2 * 50 * 4)].every((level) => level === 0)).toBe(true);
    expect(peaks.length).toBe(2 * 50 * 6);
  });

  it('beeps instead', async () => {
    const { level } = await redacted('call.wav', 'beep');
    expect(level(3.02, 3.98)).toBeGreaterThan(0.15);
  });

  it('keeps the time line of media whose sound begins late', async () => {
    const { level } = await redacted('late.mkv');
    expect(level(0, 1.9)).toBeLessThan(0.005);
    expect(level(2.1, 2.9)).toBeGreaterThan(0.05);
    expect(level(3.02, 3.98)).toBeLessThan(0.005);
    expect(level(4.1, 5.8)).toBeGreaterThan(0.05);
  });

  it('is not stored when it is aborted, and the original stays', async () => {
    await store.remove(KEYS.redacted(0));
    await writeObject(store, KEYS.source, await readFile(files.path('call.wav')));
    const redacting = redactor.redact({ ...REF, tracks: 1, duration: 6, stretches: [], style: 'silence', signal: AbortSignal.abort(new Error('stopped')) });
    await expect(redacting).rejects.toThrow('stopped');
    expect(await store.head(KEYS.redacted(0))).toBeUndefined();
    expect(await store.head(KEYS.source)).toBeDefined();
    expect(await readdir(scratchFolder)).toEqual([]);
  });
});
