import type { liveMedia, LiveMediaService } from '@parlance/contracts';
import { bytesPerSecond, frameBytes, isRecognizable, RECOGNITION_RATE, type RawAudio } from '../audio/raw-format.js';
import type { SessionInput } from '../audio/session-bytes.js';
import type { LiveSession } from '../session/live-session.js';
import { audioMessage } from '../live-json.js';
import { QuietEnds } from './quiet-ends.js';

const PCM_FRAME_BYTES = 2;
/** Samples that a resampler holds back at most, 4 ms: each is made of the ones after it as well. */
const RESAMPLER_DELAY = 64;

interface InputOptions {
  accountId: string;
  audio: LiveSession['audio'];
  /** The first sample that is recognized, at 16 kHz. */
  sample: number;
  /** The bytes of the session from an offset on. */
  bytesFrom(offset: number): AsyncIterable<SessionInput>;
  media: Pick<LiveMediaService, 'decode'>;
  /** Receives the end of the audio that was decoded so far, in samples at 16 kHz. */
  onDecoded(sample: number): void;
  signal: AbortSignal;
}

/**
 * The audio of a session from a sample on, as recognizers take it. Recognizable audio is read from there. Other raw audio is decoded
 * from a whole second before, so that a resampler is in the state that it would be in; a container from its first byte, which has its header.
 */
export function recognitionInput(options: InputOptions): AsyncGenerator<SessionInput> {
  const { audio, sample } = options;
  if ('container' in audio) return decoded(options, 0, 0);
  if (isRecognizable(audio)) return inWholeSamples(options.bytesFrom(sample * frameBytes(audio)));
  const second = Math.max(0, Math.floor(sample / RECOGNITION_RATE) - 1);
  return decoded(options, second * bytesPerSecond(audio), second * RECOGNITION_RATE);
}

/** @param first the sample that the byte at the offset is the beginning of */
async function* decoded({ accountId, audio, sample, bytesFrom, media, onDecoded, signal }: InputOptions, offset: number, first: number): AsyncGenerator<SessionInput> {
  const ends = new QuietEnds<Buffer>((piece) => piece.byteLength);
  const pcm = pcmOf(media.decode(decodeRequests(accountId, audio, bytesFrom(offset), ends), { timeoutMs: Infinity, signal }));
  let at = first;
  for await (const item of inWholeSamples(ends.between(pcm))) {
    if (item === 'finalize') yield item;
    else {
      const skipped = Math.max(0, sample - at) * PCM_FRAME_BYTES;
      at += item.byteLength / PCM_FRAME_BYTES;
      onDecoded(at);
      if (skipped < item.byteLength) yield item.subarray(skipped);
    }
  }
}

async function* decodeRequests(accountId: string, audio: LiveSession['audio'], bytes: AsyncIterable<SessionInput>, ends: QuietEnds<Buffer>): AsyncGenerator<liveMedia.DecodeRequest> {
  yield { part: { $case: 'audio', value: audioMessage(audio) }, accountId };
  let sent = 0;
  for await (const item of bytes) {
    if (item === 'finalize') ends.order('container' in audio ? undefined : decodedBytes(audio, sent));
    else {
      sent += item.byteLength;
      yield { part: { $case: 'source', value: item }, accountId: '' };
    }
  }
}

/** Bytes that the decoder has certainly made of so much raw audio. */
function decodedBytes(audio: RawAudio, sent: number): number {
  const samples = Math.floor((sent / bytesPerSecond(audio)) * RECOGNITION_RATE);
  return PCM_FRAME_BYTES * Math.max(0, samples - RESAMPLER_DELAY);
}

async function* pcmOf(answers: AsyncIterable<liveMedia.DecodeResponse>): AsyncGenerator<Buffer> {
  for await (const { part } of answers) if (part?.$case === 'pcm' && part.value.byteLength > 0) yield part.value;
}

/** Keeps half a sample until the rest of it comes. */
async function* inWholeSamples(items: AsyncIterable<SessionInput>): AsyncGenerator<SessionInput> {
  let half: Buffer = Buffer.alloc(0);
  for await (const item of items) {
    if (item === 'finalize') {
      yield item;
      continue;
    }
    const bytes = half.byteLength > 0 ? Buffer.concat([half, item]) : item;
    const whole = bytes.byteLength - (bytes.byteLength % PCM_FRAME_BYTES);
    half = Buffer.from(bytes.subarray(whole));
    if (whole > 0) yield bytes.subarray(0, whole);
  }
}
