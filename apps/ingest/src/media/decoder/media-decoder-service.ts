import { mkdtemp, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { decoding, MediaDecoderService } from '@parlance/contracts';
import type { FairPlaces } from '@parlance/event-bus';
import { AppError, removeScratch } from '@parlance/platform';
import type { MediaDecoder, MediaTask, SandboxEnd, SandboxRun } from '../index.js';
import { MAX_BEGINNING_BYTES } from '../live/beginning.js';
import type { LivePlaces } from '../live/live-places.js';
import type { AudioTrack } from '../media-decoder.js';
import { isReadable } from '../media-input.js';
import { takePlace } from '../place.js';
import { CLIP_FORMATS, MAX_SPLIT_CHANNELS, mediaError } from '../index.js';

interface MediaDecoderServiceOptions {
  decoder: MediaDecoder;
  scratchFolder: string;
  /** Runs at once; further calls wait, and their recordings are not read meanwhile. */
  places: FairPlaces;
  /** Clips at once; they do not wait for the runs of jobs, and jobs do not wait for them. */
  clipPlaces: FairPlaces;
  /** Live recordings at once; a further one is refused. */
  livePlaces: LivePlaces;
  /** Milliseconds that a call may wait for a place: its caller counts them as decoding. */
  placeWaitMs: number;
  /** Larger recordings are refused: the scratch folder has room for one of this size at each place. */
  maxSourceBytes: number;
}

/** Ingest shares its own places among accounts; here all calls are alike. */
const CALLER = 'ingest';

const NEVER = new AbortController().signal;

/** Takes the recording into a scratch file and runs the tool on it. @throws AppError invalid for a call that does not begin with a task */
export const createMediaDecoderService = (options: MediaDecoderServiceOptions): MediaDecoderService => ({
  async *run(requests, { signal = NEVER } = {}) {
    const parts = requests[Symbol.asyncIterator]();
    const { kind, isLive } = messageOf((await nextOf(parts))?.part);
    if (kind.$case === 'decodeLive') return yield* stream(kind.value, parts, options, signal);
    const task = taskOf(kind);
    const places = task.kind === 'clip' ? options.clipPlaces : options.places;
    const leave = isLive ? options.livePlaces.take(CALLER).leave : await takePlace(CALLER, { places, waitMs: options.placeWaitMs, refusal: noPlaceFree, signal });
    try {
      yield* answer(task, isLive, parts, options, signal);
    } finally {
      leave();
    }
  },
});

/** Decodes the recording while it arrives. */
async function* stream(track: AudioTrack, parts: AsyncIterator<decoding.RunRequest>, { decoder, livePlaces }: MediaDecoderServiceOptions, signal: AbortSignal): AsyncGenerator<decoding.RunResponse> {
  if (!isReadable(track.format)) throw invalidCall();
  const { leave } = livePlaces.take(CALLER);
  try {
    yield* responsesOf(await decoder.stream(track, { source: sourceOf(parts), signal }));
  } finally {
    leave();
  }
}

async function* sourceOf(parts: AsyncIterator<decoding.RunRequest>): AsyncGenerator<Uint8Array> {
  for (let next = await nextOf(parts); next; next = await nextOf(parts)) {
    if (next.part?.$case !== 'source') throw invalidCall();
    yield next.part.value;
  }
}

async function* responsesOf(run: SandboxRun): AsyncGenerator<decoding.RunResponse> {
  for await (const output of run.stdout) yield { part: { $case: 'output', value: Buffer.from(output) } };
  yield { part: { $case: 'end', value: endMessage(await run.end) } };
}

/** RESOURCE_EXHAUSTED in gRPC, which the channel does not repeat by itself as it does UNAVAILABLE. */
const noPlaceFree = () => new AppError({ kind: 'rate_limited', code: 'service_unavailable', message: 'The media decoder has no free slot at the moment.' });

async function* answer(task: MediaTask, isLive: boolean, parts: AsyncIterator<decoding.RunRequest>, { decoder, scratchFolder, maxSourceBytes }: MediaDecoderServiceOptions, signal: AbortSignal): AsyncGenerator<decoding.RunResponse> {
  const folder = await mkdtemp(join(scratchFolder, 'run-'));
  try {
    const file = join(folder, 'source');
    await receive(parts, file, isLive ? MAX_BEGINNING_BYTES : maxSourceBytes, signal);
    yield* responsesOf(await decoder.run(task, { file, signal, isLive }));
  } finally {
    await removeScratch(folder);
  }
}

async function nextOf(parts: AsyncIterator<decoding.RunRequest>): Promise<decoding.RunRequest | undefined> {
  const { done, value } = await parts.next();
  return done ? undefined : value;
}

/** @throws AppError invalid for a call that sends a second task; media_too_large. */
async function receive(parts: AsyncIterator<decoding.RunRequest>, file: string, maxBytes: number, signal: AbortSignal): Promise<void> {
  const source = await open(file, 'wx');
  try {
    let bytes = 0;
    for (let next = await nextOf(parts); next; next = await nextOf(parts)) {
      const { part } = next;
      signal.throwIfAborted();
      if (part?.$case !== 'source') throw invalidCall();
      bytes += part.value.length;
      if (bytes > maxBytes) throw mediaError('media_too_large', `The media is larger than ${maxBytes} bytes.`);
      await source.writeFile(part.value);
    }
    signal.throwIfAborted();
  } finally {
    await source.close();
  }
}

type TaskKind = NonNullable<decoding.MediaTask['kind']>;

function messageOf(part: decoding.RunRequest['part']): { kind: TaskKind; isLive: boolean } {
  if (part?.$case !== 'task' || part.value.kind === undefined) throw invalidCall();
  return { kind: part.value.kind, isLive: part.value.live };
}

function taskOf(kind: Exclude<TaskKind, { $case: 'decodeLive' }>): MediaTask {
  if (kind.$case === 'probe') return { kind: 'probe' };
  if (kind.$case === 'clip') return clipOf(kind.value);
  if (kind.$case === 'encode') return encodingOf(kind.value);
  if (kind.$case !== 'decodeChannels') return { kind: kind.$case, track: kind.value };
  const { track, channels } = kind.value;
  if (!track || channels < 2 || channels > MAX_SPLIT_CHANNELS) throw invalidCall();
  return { kind: 'decodeChannels', track, channels };
}

function encodingOf({ channels }: decoding.Encoding): MediaTask {
  if (channels < 1 || channels > MAX_SPLIT_CHANNELS) throw invalidCall();
  return { kind: 'encode', channels };
}

function clipOf({ start, duration, format: asked }: decoding.Clip): MediaTask {
  const format = CLIP_FORMATS.find((name) => name === asked);
  if (!format || !(start >= 0) || !(duration > 0)) throw invalidCall();
  return { kind: 'clip', start, duration, format };
}

const invalidCall = () => new AppError({ kind: 'invalid', code: 'invalid_request', message: 'A call must send one task, followed by the bytes of its recording.' });

const endMessage = (end: SandboxEnd): decoding.RunEnd => ({
  kind: end.kind === 'exited' ? { $case: 'exitCode', value: end.code } : { $case: 'limited', value: {} },
  stderr: end.stderr,
});
