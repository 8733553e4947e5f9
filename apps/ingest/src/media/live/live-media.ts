import { common, type liveMedia, type LiveMediaService } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import type { MediaDecoder } from '../media-decoder.js';
import { decodeContainer } from './container-decoder.js';
import type { LivePlaces } from './live-places.js';
import { decodeRaw } from './raw-audio.js';

interface LiveMediaOptions {
  decoder: MediaDecoder;
  scratchFolder: string;
  /** Taken by containers alone: raw audio needs no other process. */
  places: LivePlaces;
}

const NEVER = new AbortController().signal;

/** Decodes the audio of live sessions. */
export class LiveMedia implements LiveMediaService {
  constructor(private readonly options: LiveMediaOptions) {}

  /** @throws AppError media_*, invalid_request, no_live_capacity; unavailable when the process that decodes is away */
  async *decode(requests: AsyncIterable<liveMedia.DecodeRequest>, { signal = NEVER }: { signal?: AbortSignal | undefined } = {}): AsyncGenerator<liveMedia.DecodeResponse> {
    const parts = requests[Symbol.asyncIterator]();
    const { audio, accountId } = await openingOf(parts);
    if (audio.encoding !== common.LiveEncoding.LIVE_ENCODING_UNSPECIFIED) {
      for await (const pcm of decodeRaw(sourceOf(parts), audio)) yield { part: { $case: 'pcm', value: Buffer.from(pcm) } };
      return;
    }
    const { places, ...options } = this.options;
    const place = places.take(accountId);
    try {
      for await (const part of decodeContainer(sourceOf(parts), { ...options, signal: AbortSignal.any([signal, place.lost]) })) yield { part };
    } catch (error) {
      place.lost.throwIfAborted();
      throw error;
    } finally {
      place.leave();
    }
  }
}

async function openingOf(parts: AsyncIterator<liveMedia.DecodeRequest>): Promise<{ audio: common.LiveAudio; accountId: string }> {
  const { done, value } = await parts.next();
  if (done === true || value.part?.$case !== 'audio') throw invalidCall();
  return { audio: value.part.value, accountId: value.accountId };
}

async function* sourceOf(parts: AsyncIterator<liveMedia.DecodeRequest>): AsyncGenerator<Uint8Array> {
  for (let next = await parts.next(); next.done !== true; next = await parts.next()) {
    const { part } = next.value;
    if (part?.$case !== 'source') throw invalidCall();
    yield part.value;
  }
}

const invalidCall = () => new AppError({ kind: 'invalid', code: 'invalid_request', message: 'A call says first what the audio is, then sends its bytes.' });
