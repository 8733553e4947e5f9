import { Inject, Injectable } from '@nestjs/common';
import { mediaKeys, type common, type MediaKeys } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import { MEDIA_STORE } from '@parlance/runtime';
import { readObject, type MediaStore } from '@parlance/storage';
import { mediaError } from '../media-error.js';
import { readPieceList, removePieces } from './live-pieces.js';
import { wavLayout } from './wav-header.js';

/** Pieces that are read at once, of a second each: enough to hide the latency of a remote store. */
const READ_AHEAD = 8;

interface JoinRequest {
  accountId: string;
  jobId: string;
  audio: common.LiveAudio;
  signal: AbortSignal;
}

/** Makes one file of the pieces of a live session. */
@Injectable()
export class LiveRecording {
  constructor(@Inject(MEDIA_STORE) private readonly store: MediaStore) {}

  /**
   * Stores the source of the job, then removes the pieces. It may be interrupted at any moment and called again: the source is there
   * whole or not at all, and no piece is removed before. Of a job whose recording was redacted, it stays away.
   * @throws AppError media_empty, storage_full
   */
  async join({ accountId, jobId, audio, signal }: JoinRequest): Promise<void> {
    const keys = mediaKeys(accountId, jobId);
    if (!(await this.store.head(keys.source)) && !(await this.store.head(keys.redacted(0)))) await this.storeSource(keys, audio, signal);
    await removePieces(this.store, keys);
  }

  private async storeSource(keys: MediaKeys, audio: common.LiveAudio, signal: AbortSignal): Promise<void> {
    const pieces = await readPieceList(this.store, keys);
    const rawBytes = await this.sizeOf(keys, pieces);
    const layout = wavLayout(audio, rawBytes) ?? { header: Buffer.alloc(0), dataBytes: rawBytes, padding: Buffer.alloc(0) };
    const { header, dataBytes, padding } = layout;
    if (dataBytes === 0) throw mediaError('media_empty', 'The live session has no audio samples.');
    const read = (key: string) => readObject(this.store, key);
    const body = joined([header], firstBytes(inOrder(pieces, read, signal), dataBytes), [padding]);
    await this.store.put(keys.source, body, { signal, expectedBytes: header.length + dataBytes + padding.length });
  }

  private async sizeOf({ livePrefix }: MediaKeys, pieces: readonly string[]): Promise<number> {
    const sizes = new Map<string, number>();
    for await (const { key, sizeBytes } of this.store.list(livePrefix)) sizes.set(key, sizeBytes);
    return pieces.reduce((sum, key) => sum + (sizes.get(key) ?? missing()), 0);
  }
}

function missing(): never {
  throw new AppError({ kind: 'internal', code: 'internal', message: 'A piece of a live session is not in the media store.' });
}

/** The objects one after the other; a few are read ahead. */
async function* inOrder(keys: readonly string[], read: (key: string) => Promise<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const reading: Promise<Uint8Array>[] = [];
  const begin = (key: string): void => {
    const piece = read(key);
    // The reader may have left when it fails.
    piece.catch(() => undefined);
    reading.push(piece);
  };
  for (const [index, key] of keys.entries()) {
    signal.throwIfAborted();
    begin(key);
    if (index >= READ_AHEAD - 1) yield await (reading.shift() as Promise<Uint8Array>);
  }
  for (const piece of reading) yield await piece;
}

async function* firstBytes(body: AsyncIterable<Uint8Array>, count: number): AsyncGenerator<Uint8Array> {
  let left = count;
  for await (const piece of body) {
    const part = piece.subarray(0, left);
    left -= part.length;
    if (part.length > 0) yield part;
  }
}

async function* joined(...bodies: (AsyncIterable<Uint8Array> | Iterable<Uint8Array>)[]): AsyncGenerator<Uint8Array> {
  for (const body of bodies) {
    for await (const piece of body) if (piece.length > 0) yield piece;
  }
}
