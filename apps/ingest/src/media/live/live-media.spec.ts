import { mkdir, readdir, readFile } from 'node:fs/promises';
import { Client, credentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decoding } from '@parlance/contracts';
import { silentLogger } from '@parlance/platform';
import { grpcPort, sendToken } from '@parlance/runtime/process';
import { eventually, mediaBombs, MediaFiles, noise, pictures, SAMPLES, silence } from '@parlance/testing';
import fc from 'fast-check';
import { decodeAudio } from '../audio-decoder.js';
import { runMediaDecoder, type RunningMediaDecoder } from '../decoder/media-decoder-process.js';
import { createGrpcMediaDecoder, createLocalMediaDecoder, createMediaSandbox, type MediaDecoder } from '../index.js';
import { probeMedia } from '../media-probe.js';
import { CONTAINER, decodeLive, inPieces, requestsOf } from './live-decoding.fixture.js';
import { LiveMedia } from './live-media.js';
import { LivePlaces } from './live-places.js';

const TOKEN = 'a-token-of-decoder-calls';
const READING = SAMPLES.reading.path;
const never = new AbortController().signal;
const FRAGMENTS = ['-movflags', 'frag_keyframe+empty_moov+default_base_moof', '-frag_duration', '500000'];

let files: MediaFiles;
let remote: RunningMediaDecoder;
let client: Client;
let decoders: { local: MediaDecoder; grpc: MediaDecoder };
let live: Record<'local' | 'grpc', LiveMedia>;
const SHAPES = ['local', 'grpc'] as const;

beforeAll(async () => {
  files = await MediaFiles.create();
  await mkdir(files.path('scratch'));
  remote = await runMediaDecoder({
    env: { MEDIA_DECODER_TOKEN: TOKEN, PARLANCE_DATA: files.path('remote'), GRPC_LISTEN: '127.0.0.1:0', SHUTDOWN_GRACE_SECONDS: '1', LIVE_DECODERS: '4' },
    log: silentLogger(),
  });
  client = new Client(`127.0.0.1:${remote.port}`, credentials.createInsecure(), { interceptors: [sendToken(TOKEN)] });
  decoders = {
    local: createLocalMediaDecoder(createMediaSandbox({ scratchFolder: files.path('scratch'), log: silentLogger() })),
    grpc: createGrpcMediaDecoder(grpcPort(decoding.MediaDecoderServiceDefinition, client)),
  };
  live = { local: liveOf(decoders.local), grpc: liveOf(decoders.grpc) };
  await files.makeAll(['-i', READING], [
    ['talk.webm', '-c:a', 'libopus', '-b:a', '32k'],
    ['talk.ogg', '-c:a', 'libopus'],
    ['vorbis.ogg', '-c:a', 'libvorbis'],
    ['talk.mp4', '-c:a', 'aac', ...FRAGMENTS],
    ['talk.mp3', '-c:a', 'libmp3lame'],
    ['stereo.flac', '-ac', '2', '-ar', '44100'],
    ['talk.wav', '-ar', '22050'],
    ['talk.aac', '-c:a', 'aac'],
    ['short.webm', '-t', '1.5', '-c:a', 'libopus', '-b:a', '16k'],
  ]);
  await files.make('filmed.webm', ...pictures(9), '-itsoffset', '0.7', '-i', READING, '-c:v', 'libvpx', '-deadline', 'realtime', '-c:a', 'libopus');
  await files.make('paused.mkv', '-i', READING, '-af', "asetpts='PTS+if(gte(T,4),3/TB,0)'", '-c:a', 'libvorbis');
});
afterAll(async () => {
  client.close();
  await remote.close();
  await files[Symbol.asyncDispose]();
});

const liveOf = (decoder: MediaDecoder, places = 4) => new LiveMedia({ decoder, scratchFolder: files.path('scratch'), places: new LivePlaces(places) });
const scratch = async () => [...(await readdir(files.path('scratch'))), ...(await readdir(files.path('remote/scratch/media-decoder')))];
const untilScratchIsEmpty = () => eventually('an empty scratch folder', async () => (await scratch()).length === 0);

const decodedFiles = new Map<string, Promise<Buffer>>();

/** As the job of the session decodes it in the end: once for all cases, since it costs several processes. */
function asFile(path: string): Promise<Buffer> {
  const known = decodedFiles.get(path) ?? decodeFile(path);
  decodedFiles.set(path, known);
  return known;
}

async function decodeFile(path: string): Promise<Buffer> {
  const limits = { maxDurationSeconds: 36_000, signal: never };
  const media = await probeMedia(decoders.local, path, limits);
  const blocks: Uint8Array[] = [];
  for await (const block of decodeAudio(decoders.local, path, media, limits)) blocks.push(block);
  return Buffer.concat(blocks);
}

/** Pseudo-random bytes, the same each time. */
function garbage(bytes: number): Buffer {
  let state = 7;
  return Buffer.from(Array.from({ length: bytes }, () => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) >> 16));
}

describe.each(SHAPES)('live audio in a container (%s)', (shape) => {
  it.each(['talk.webm', 'talk.ogg', 'vorbis.ogg', 'talk.mp4', 'stereo.flac', 'talk.wav', 'talk.aac', 'filmed.webm', 'paused.mkv'])('%s becomes the samples that it has as a file', async (name) => {
    const { pcm, container } = await decodeLive(live[shape], inPieces(await readFile(files.path(name)), 1_000));
    const expected = await asFile(files.path(name));
    expect(pcm.length).toBe(expected.length);
    expect(pcm.equals(expected)).toBe(true);
    expect(container?.channels).toBeGreaterThan(0);
  });

  it('an mp3 has the samples of the file, and the padding of its last frame', async () => {
    const { pcm, container } = await decodeLive(live[shape], inPieces(await readFile(files.path('talk.mp3')), 1_000));
    const expected = await asFile(files.path('talk.mp3'));
    expect(pcm.subarray(0, expected.length).equals(expected)).toBe(true);
    expect(pcm.length - expected.length).toBeLessThanOrEqual(2 * 1152);
    expect(container).toMatchObject({ format: 'mp3', codec: 'mp3', sampleRate: 16_000, channels: 1 });
  });

  it('a recording one byte at a time becomes the same samples', async () => {
    const { pcm } = await decodeLive(live[shape], inPieces(await readFile(files.path('short.webm')), 1));
    expect(pcm.equals(await asFile(files.path('short.webm')))).toBe(true);
  });

  it('audio is there before the recording ends, for as long as it is sent', async () => {
    const bytes = await readFile(files.path('talk.webm'));
    const half = Math.floor(bytes.length / 2);
    const [decodedEnough, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const pieces = async function* () {
      yield bytes.subarray(0, half);
      await decodedEnough.promise;
      yield bytes.subarray(half);
      ended.resolve();
    };
    let decoded = 0;
    for await (const { part } of live[shape].decode(requestsOf(pieces()))) {
      if (part?.$case === 'pcm') decoded += part.value.length;
      if (decoded > 3 * 32_000) decodedEnough.resolve();
    }
    await ended.promise;
    expect(decoded).toBe((await asFile(files.path('talk.webm'))).length);
  });

  it('a recording that breaks off is decoded as far as it goes', async () => {
    for (const name of ['talk.webm', 'talk.mp4', 'talk.ogg', 'stereo.flac']) {
      const cut = await files.cutOff(files.path(name), `cut-${name}`, 0.6);
      const { pcm } = await decodeLive(live[shape], inPieces(await readFile(cut), 4_096));
      expect(Math.abs(pcm.length - (await asFile(cut)).length)).toBeLessThanOrEqual(3_200);
    }
  });

  it.each([
    ['media_unsupported', 'noise of bytes', () => garbage(600_000)],
    ['media_unsupported', 'a short text', () => Buffer.from('This is no audio.')],
    ['media_unsupported', 'a page', () => Buffer.from(`<html>${'<p>text</p>'.repeat(40_000)}`)],
    ['media_unsupported', 'an archive', () => Buffer.concat([Buffer.from('PK\x03\x04'), garbage(300_000)])],
    ['media_empty', 'no byte', () => Buffer.alloc(0)],
    ['media_corrupt', 'an MP4 whose index does not come', () => Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from('ftypisom\0\0\x02\0isomiso2'), Buffer.from([0x7f, 0, 0, 0]), Buffer.from('mdat'), garbage(50_000)])],
  ])('%s is said of %s', async (code, _what, bytes) => {
    await expect(decodeLive(live[shape], inPieces(bytes(), 65_536))).rejects.toMatchObject({ code });
    await untilScratchIsEmpty();
  });

  it('garbage is refused before it ends', async () => {
    const endless = async function* () {
      for (;;) yield garbage(10_000);
    };
    await expect(decodeLive(live[shape], endless())).rejects.toMatchObject({ code: 'media_unsupported' });
  });

  it.each(['talk.wav', 'talk.mp3', 'talk.ogg', 'talk.webm', 'talk.mp4'])('bytes without end that follow %s as no audio are refused', async (name) => {
    let sent = 0;
    const endless = async function* () {
      yield await readFile(files.path(name));
      for (const megabyte = Buffer.alloc(1024 ** 2); ; sent += 1) yield megabyte;
    };
    await expect(decodeLive(live[shape], endless())).rejects.toMatchObject({ code: 'media_corrupt' });
    expect(sent).toBeLessThan(32);
    await untilScratchIsEmpty();
  });

  it('a recording without sound is refused', async () => {
    const mute = await files.make('mute.webm', ...pictures(3), '-c:v', 'libvpx');
    await expect(decodeLive(live[shape], [await readFile(mute)])).rejects.toMatchObject({ code: 'media_no_audio' });
  });

  it('hours of silence in a few bytes are refused', async () => {
    for (const { kind, path } of (await mediaBombs(files)).filter((bomb) => bomb.kind.includes('gap'))) {
      const refused: unknown = await decodeLive(live[shape], [await readFile(path)]).catch((error: unknown) => error);
      expect({ kind, refused }).toMatchObject({ refused: { code: expect.stringMatching(/^media_(implausible|unsupported)$/) } });
    }
    await untilScratchIsEmpty();
  });

  it('nothing is left behind when the call is canceled or left while no byte arrives', async () => {
    const bytes = await readFile(files.path('talk.webm'));
    const stalled = async function* (length: number) {
      yield bytes.subarray(0, length);
      await new Promise<never>(() => undefined);
    };
    for (const length of [100, bytes.length]) {
      const abort = new AbortController();
      const reading = (async () => {
        for await (const _ of live[shape].decode(interruptedBy(abort.signal, requestsOf(stalled(length))), { signal: abort.signal })) abort.abort(new Error('left'));
      })();
      if (length === 100) setTimeout(() => abort.abort(new Error('left')), 100);
      await expect(reading).rejects.toThrow('left');
      await untilScratchIsEmpty();
    }
    for await (const { part } of live[shape].decode(requestsOf(stalled(bytes.length)))) if (part?.$case === 'pcm') break;
    await untilScratchIsEmpty();
  });

  it('a session more than there are places is refused, and finds one when another has ended', async () => {
    const one = liveOf(decoders[shape], 1);
    const go = Promise.withResolvers<void>();
    const bytes = await readFile(files.path('talk.ogg'));
    const held = async function* () {
      yield bytes;
      await go.promise;
    };
    const first = decodeLive(one, held());
    await eventually('the first session', async () => (await scratch()).length > 0);
    await expect(decodeLive(one, [bytes])).rejects.toMatchObject({ code: 'no_live_capacity', kind: 'rate_limited', retryable: true });
    go.resolve();
    await first;
    expect((await decodeLive(one, [bytes])).pcm.length).toBeGreaterThan(0);
  });

  it('a session of another account gets the place of an account that has more', async () => {
    const two = liveOf(decoders[shape], 2);
    const bytes = await readFile(files.path('talk.ogg'));
    const go = Promise.withResolvers<void>();
    const endless = async function* () {
      yield bytes;
      await go.promise;
    };
    const [older, newer] = [decodeLive(two, endless(), CONTAINER, 'acc_1'), decodeLive(two, endless(), CONTAINER, 'acc_1')];
    newer.catch(() => {});
    await eventually('both sessions', async () => (await scratch()).length >= 2);
    expect((await decodeLive(two, [bytes], CONTAINER, 'acc_2')).pcm.length).toBeGreaterThan(0);
    await expect(newer).rejects.toMatchObject({ code: 'no_live_capacity', retryable: true });
    go.resolve();
    expect((await older).pcm.length).toBeGreaterThan(0);
  });
});

async function* interruptedBy<T>(signal: AbortSignal, items: AsyncIterable<T>): AsyncGenerator<T> {
  const aborted = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  aborted.catch(() => undefined);
  const iterator = items[Symbol.asyncIterator]();
  for (let next = await Promise.race([iterator.next(), aborted]); next.done !== true; next = await Promise.race([iterator.next(), aborted])) yield next.value;
}

describe('the container of a live recording', () => {
  it('is found however its bytes were cut, and so is every sample', async () => {
    for (const name of ['talk.webm', 'talk.mp4', 'stereo.flac', 'talk.ogg', 'talk.mp3']) {
      const bytes = await readFile(files.path(name));
      const whole = (await decodeLive(live.local, [bytes])).pcm;
      await fc.assert(
        fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 9_000 }), { minLength: 1, maxLength: 40 }), async (sizes) => {
          const pieces = function* () {
            for (let at = 0, index = 0; at < bytes.length; index += 1) {
              const size = sizes[index % sizes.length] as number;
              yield bytes.subarray(at, (at += size));
            }
          };
          expect((await decodeLive(live.local, pieces())).pcm.equals(whole)).toBe(true);
        }),
        { numRuns: 4 },
      );
    }
  });

  it('is found behind a large cover', async () => {
    const mp3 = await readFile(files.path('talk.mp3'));
    const size = 700_000;
    const tag = Buffer.alloc(10 + size);
    tag.write('ID3\x03', 'latin1');
    for (const [index, shift] of [21, 14, 7, 0].entries()) tag[6 + index] = (size >> shift) & 0x7f;
    const { pcm, container } = await decodeLive(live.local, inPieces(Buffer.concat([tag, mp3]), 20_000));
    expect(container?.format).toBe('mp3');
    expect(pcm.length).toBeGreaterThan(9 * 32_000);
  });

  it('that is damaged in its middle for good is given as far as it goes, and has ended or is corrupt', async () => {
    const bytes = await readFile(files.path('talk.mp4'));
    const half = Math.floor(bytes.length / 2);
    let decoded = 0;
    const reading = (async () => {
      const pieces = [bytes.subarray(0, half), garbage(400_000), garbage(400_000)].flatMap((each) => [...inPieces(each, 20_000)]);
      for await (const { part } of live.local.decode(requestsOf(pieces))) if (part?.$case === 'pcm') decoded += part.value.length;
    })();
    // ffmpeg may take the damage for a part that it skips.
    const failure: unknown = await reading.catch((error: unknown) => error);
    expect([undefined, 'media_corrupt']).toContain((failure as { code?: string } | undefined)?.code);
    expect(decoded).toBeGreaterThan(3 * 32_000);
  });

  it('may hold noise and silence of any kind', async () => {
    for (const [name, input] of [['noise.ogg', noise(4)], ['silence.webm', silence(4)]] as const) {
      const path = await files.make(name, ...input, '-c:a', 'libopus');
      expect((await decodeLive(live.local, [await readFile(path)])).pcm.equals(await asFile(path))).toBe(true);
    }
  });
});
