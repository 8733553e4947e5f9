import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { Client, credentials, Server, ServerCredentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decoding, type MediaDecoderService } from '@parlance/contracts';
import type { VoiceActivityDetector } from '@parlance/engines';
import { FairPlaces } from '@parlance/event-bus';
import { createMetrics, isOutage, silentLogger } from '@parlance/platform';
import { serve } from '@parlance/runtime';
import { addToServer, CallMetrics, grpcPort, sendToken, ServedService } from '@parlance/runtime/process';
import { DiskReserve, openMediaStore } from '@parlance/storage';
import { eventually, MediaFiles, pictures, SAMPLES, silence } from '@parlance/testing';
import { keysUnder, readObject, writeObject } from '../../../test/stored-objects.js';
import { createGrpcMediaDecoder, createLocalMediaDecoder, createMediaPipeline, createMediaSandbox, ScratchBudget, type MediaDecoder, type MediaTask } from '../index.js';
import { LivePlaces } from '../live/live-places.js';
import { createMediaDecoderService } from './media-decoder-service.js';
import { runMediaDecoder, type RunningMediaDecoder } from './media-decoder-process.js';

const TOKEN = 'a-token-of-decoder-calls';
const READING = SAMPLES.reading.path;
const DECODE: MediaTask = { kind: 'decode', track: { format: 'flac', audioIndex: 0 } };
const MAX_BYTES = 4_000_000;

let files: MediaFiles;
let remote: RunningMediaDecoder;
let decoders: { local: MediaDecoder; grpc: MediaDecoder };
const clients: Client[] = [];
const never = new AbortController().signal;

beforeAll(async () => {
  files = await MediaFiles.create();
  await mkdir(files.path('local'));
  const env = { MEDIA_DECODER_TOKEN: TOKEN, PARLANCE_DATA: files.path('remote'), GRPC_LISTEN: '127.0.0.1:0', MEDIA_MAX_BYTES: String(MAX_BYTES), SHUTDOWN_GRACE_SECONDS: '1' };
  remote = await runMediaDecoder({ env, log: silentLogger() });
  decoders = {
    local: createLocalMediaDecoder(createMediaSandbox({ scratchFolder: files.path('local'), log: silentLogger() })),
    grpc: createGrpcMediaDecoder(clientWith(TOKEN)),
  };
});
afterAll(async () => {
  clients.forEach((client) => client.close());
  await remote.close();
  await files[Symbol.asyncDispose]();
});

function clientWith(token: string): MediaDecoderService {
  const client = new Client(`127.0.0.1:${remote.port}`, credentials.createInsecure(), { interceptors: [sendToken(token)] });
  clients.push(client);
  return grpcPort(decoding.MediaDecoderServiceDefinition, client);
}

async function bytesOf(stdout: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of stdout) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function outcome(decoder: MediaDecoder, task: MediaTask, file: string, signal = never) {
  const run = await decoder.run(task, { file, signal });
  const output = await bytesOf(run.stdout);
  return { output, end: await run.end };
}

const remoteScratch = () => readdir(files.path('remote/scratch/media-decoder'));
const untilRemoteIsEmpty = () => eventually('an empty scratch folder', async () => (await remoteScratch()).length === 0);

/** Finds no speech and needs no model. */
const noSpeech: VoiceActivityDetector = {
  async *detect(pcm) {
    for await (const block of pcm) void block;
    yield* [];
  },
};

async function prepared(decoder: MediaDecoder, file: string) {
  const store = await openMediaStore(`file:${files.path(`store-${Math.random()}`)}`);
  await writeObject(store, 'acc_1/job_1/source', await readFile(file));
  const scratchFolder = files.path('local');
  const pipeline = createMediaPipeline({ store, decoder, voiceActivity: noSpeech, scratchFolder, budget: new ScratchBudget(new DiskReserve(scratchFolder), undefined) });
  const lengths = { idealSeconds: 5, maxSeconds: 10 };
  const media = await pipeline.prepare({ accountId: 'acc_1', jobId: 'job_1', options: { language: 'en', vocabulary: [] }, lengths, maxDurationSeconds: 3600, signal: never });
  const keys = await keysUnder(store, 'acc_1/job_1/');
  return { media, objects: await Promise.all(keys.map(async (key) => [key, (await readObject(store, key)).toString('base64')])) };
}

describe('a recording in another process', () => {
  it('has the same probe, first frame, audio and clip as in this one', async () => {
    for (const task of [{ kind: 'probe' }, { ...DECODE, kind: 'firstFrame' }, DECODE, { ...DECODE, kind: 'decodeChannels', channels: 2 }, { kind: 'clip', start: 1, duration: 2, format: 'wav' }] as MediaTask[]) {
      const [local, grpc] = [await outcome(decoders.local, task, READING), await outcome(decoders.grpc, task, READING)];
      expect(local.output.length).toBeGreaterThan(20);
      expect(grpc.output.equals(local.output)).toBe(true);
      expect(grpc.end).toEqual(local.end);
    }
  });

  it('becomes the same chunks and plan', async () => {
    const video = await files.make('talk.mp4', ...pictures(12), '-itsoffset', '2', '-i', READING, '-c:a', 'aac');
    for (const file of [READING, video]) {
      const local = await prepared(decoders.local, file);
      expect(local.objects.length).toBeGreaterThan(3);
      expect(await prepared(decoders.grpc, file)).toEqual(local);
    }
  });

  it.each([
    ['media_unsupported', () => files.write('page', '<html></html>')],
    ['media_corrupt', async () => files.cutOff(await files.make('whole.mp4', ...silence(5)), 'cut.mp4', 0.5)],
    ['media_no_audio', () => files.make('mute.mp4', ...pictures(2))],
  ])('is refused with the same error (%s)', async (code, file) => {
    const path = await file();
    for (const decoder of [decoders.local, decoders.grpc]) await expect(prepared(decoder, path)).rejects.toMatchObject({ code });
  });

  it('leaves nothing there when its task is canceled or its reader leaves', async () => {
    const long = await files.make('long.flac', ...silence(900));
    const abort = new AbortController();
    const canceled = await decoders.grpc.run(DECODE, { file: long, signal: abort.signal });
    const reading = bytesOf(canceled.stdout);
    await eventually('the run', async () => (await remoteScratch()).some((name) => name.startsWith('ffmpeg-')));
    abort.abort(new Error('canceled'));
    await expect(reading).rejects.toThrow('canceled');
    await expect(canceled.end).rejects.toThrow('canceled');
    await untilRemoteIsEmpty();

    const left = await decoders.grpc.run(DECODE, { file: long, signal: never });
    for await (const piece of left.stdout) if (piece.length > 0) break;
    expect(await left.end).toEqual({ kind: 'limited', stderr: '' });
    await untilRemoteIsEmpty();
  });

  it('is refused when it is larger than the scratch folder allows', async () => {
    const large = files.path('large');
    await writeFile(large, Buffer.alloc(10 * MAX_BYTES));
    for (let tries = 0; tries < 5; tries += 1) await expect(outcome(decoders.grpc, DECODE, large)).rejects.toMatchObject({ code: 'media_too_large' });
    await untilRemoteIsEmpty();
  });

  it('leaves nothing there when it is canceled while it is sent', async () => {
    const client = clientWith(TOKEN);
    const abort = new AbortController();
    const stalled = async function* (): AsyncGenerator<decoding.RunRequest> {
      yield { part: { $case: 'task', value: { kind: { $case: 'probe', value: {} }, live: false } } };
      yield { part: { $case: 'source', value: Buffer.from('RIFF') } };
      await once(abort.signal, 'abort');
    };
    const refused = expect(client.run(stalled(), { signal: abort.signal }).next()).rejects.toMatchObject({ kind: 'canceled' });
    await eventually('the recording', async () => (await remoteScratch()).length > 0);
    abort.abort(new Error('canceled'));
    await refused;
    await untilRemoteIsEmpty();
  });

  it('waits for a place while others are decoded, and all end', async () => {
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => outcome(decoders.grpc, DECODE, READING)));
    expect(new Set(outcomes.map(({ output }) => output.length)).size).toBe(1);
  });
});

describe('a decoder whose places are taken', () => {
  it('refuses a run soon, as an outage: a wait of any length would count as decoding; clips have places of their own', async () => {
    const places = new FairPlaces(1);
    const taken = Promise.withResolvers<void>();
    const work = places.run('another', never, () => taken.promise);
    const options = { decoder: decoders.local, scratchFolder: files.path('local'), places, clipPlaces: new FairPlaces(1), livePlaces: new LivePlaces(1), placeWaitMs: 50, maxSourceBytes: MAX_BYTES };
    const server = new Server();
    const served = { service: 'media-decoder', metrics: new CallMetrics(createMetrics()), log: silentLogger() };
    addToServer(server, new ServedService(serve(decoding.MediaDecoderServiceDefinition, createMediaDecoderService(options)), served));
    const port = await new Promise<number>((done, fail) => server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) => (error ? fail(error) : done(bound))));
    const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
    const decoder = createGrpcMediaDecoder(grpcPort(decoding.MediaDecoderServiceDefinition, client));
    try {
      const refused: unknown = await outcome(decoder, DECODE, READING).catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: 'service_unavailable', retryable: true });
      expect(isOutage(refused)).toBe(true);
      expect((await outcome(decoder, { kind: 'clip', start: 0, duration: 1, format: 'wav' }, READING)).end).toMatchObject({ kind: 'exited', code: 0 });
      taken.resolve();
      await work;
      expect((await outcome(decoder, DECODE, READING)).end).toMatchObject({ kind: 'exited', code: 0 });
    } finally {
      client.close();
      server.forceShutdown();
    }
  });
});

describe('a call', () => {
  const ofReader = (token: string, parts: decoding.RunRequest[]) => {
    const client = clientWith(token);
    return bytesOf(
      (async function* () {
        for await (const { part } of client.run(Readable.from(parts) as AsyncIterable<decoding.RunRequest>)) if (part?.$case === 'output') yield part.value;
      })(),
    );
  };
  const probe: decoding.RunRequest = { part: { $case: 'task', value: { kind: { $case: 'probe', value: {} }, live: false } } };
  const source: decoding.RunRequest = { part: { $case: 'source', value: Buffer.from('RIFF') } };

  it('without the token is refused before anything is read', async () => {
    const refused = await ofReader('another-token-of-decoder-calls', [probe, source]).catch((error: unknown) => error);
    expect((refused as Error).cause).toMatchObject({ details: 'The call has no valid MEDIA_DECODER_TOKEN.' });
  });

  it.each([
    ['no task', []],
    ['the recording first', [source, probe]],
    ['two tasks', [probe, probe]],
  ])('with %s is refused', async (_what, parts) => {
    await expect(ofReader(TOKEN, parts)).rejects.toMatchObject({ kind: 'invalid' });
    await untilRemoteIsEmpty();
  });
});

describe('a decoder with REQUIRE_TLS', () => {
  it('does not start where other machines can call it without TLS, and starts on the loopback', async () => {
    const env = { MEDIA_DECODER_TOKEN: TOKEN, PARLANCE_DATA: files.path('required'), REQUIRE_TLS: 'true' };
    await expect(runMediaDecoder({ env, log: silentLogger() })).rejects.toThrow(/^GRPC_LISTEN: not encrypted \(0\.0\.0\.0\)/);
    const started = await runMediaDecoder({ env: { ...env, GRPC_LISTEN: '127.0.0.1:0' }, log: silentLogger() });
    await started.close();
  });
});

describe('a decoder that is stopped', () => {
  it('cancels the runs that do not end in time, which is an outage and no fault of the media', async () => {
    const env = { MEDIA_DECODER_TOKEN: TOKEN, PARLANCE_DATA: files.path('stopped'), GRPC_LISTEN: '127.0.0.1:0', SHUTDOWN_GRACE_SECONDS: '1' };
    const stopped = await runMediaDecoder({ env, log: silentLogger() });
    const client = new Client(`127.0.0.1:${stopped.port}`, credentials.createInsecure(), { interceptors: [sendToken(TOKEN)] });
    clients.push(client);
    const decoder = createGrpcMediaDecoder(grpcPort(decoding.MediaDecoderServiceDefinition, client));
    const run = await decoder.run(DECODE, { file: await files.make('hour.flac', ...silence(3600)), signal: never });
    const output = run.stdout[Symbol.asyncIterator]();
    expect((await output.next()).done).toBe(false);
    await stopped.close();
    const rest = async () => {
      for (;;) if ((await output.next()).done) return;
    };
    await expect(rest()).rejects.toMatchObject({ kind: 'unavailable', retryable: true });
    await expect(run.end).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(outcome(decoder, DECODE, READING)).rejects.toMatchObject({ kind: 'unavailable', retryable: true });
  });
});
