import { common, type liveMedia, type LiveMediaService } from '@parlance/contracts';

type Audio = Pick<common.LiveAudio, 'encoding' | 'sampleRate' | 'channels'>;

export const CONTAINER: Audio = { encoding: common.LiveEncoding.LIVE_ENCODING_UNSPECIFIED, sampleRate: 0, channels: 0 };

interface LiveDecoding {
  pcm: Buffer;
  container: liveMedia.DecodedContainer | undefined;
}

/** The calls' requests: what the audio is, then its pieces. */
export async function* requestsOf(pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>, audio = CONTAINER, accountId = 'acc_1'): AsyncGenerator<liveMedia.DecodeRequest> {
  yield { part: { $case: 'audio', value: audio }, accountId };
  for await (const piece of pieces) yield { part: { $case: 'source', value: Buffer.from(piece) }, accountId: '' };
}

/** Decodes all pieces. */
export async function decodeLive(service: LiveMediaService, pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>, audio = CONTAINER, accountId = 'acc_1'): Promise<LiveDecoding> {
  const pcm: Uint8Array[] = [];
  let container: liveMedia.DecodedContainer | undefined;
  for await (const { part } of service.decode(requestsOf(pieces, audio, accountId), { timeoutMs: Infinity })) {
    if (part?.$case === 'container') container = part.value;
    if (part?.$case === 'pcm') pcm.push(part.value);
  }
  return { pcm: Buffer.concat(pcm), container };
}

/** The bytes in pieces of this size. */
export function* inPieces(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
