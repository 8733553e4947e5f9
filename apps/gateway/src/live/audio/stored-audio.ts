import { mediaKeys } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import type { MediaStore } from '@parlance/storage';
import type { LiveSession } from '../session/live-session.js';

type Session = Pick<LiveSession, 'id' | 'accountId' | 'generations' | 'acknowledged'>;

/** A stored piece that counts. */
export interface StoredPiece {
  key: string;
  offset: number;
  size: number;
}

const KEY_END = /\/(\d{14})-(\d+)$/;

/** The acknowledged audio of a session, in pieces. */
export class StoredAudio {
  constructor(private readonly media: Pick<MediaStore, 'list' | 'get'>) {}

  /** The pieces in order, without gap or overlap. @throws AppError internal when one is missing */
  async *pieces(session: Session): AsyncGenerator<StoredPiece> {
    let end = 0;
    for await (const { key, sizeBytes } of this.media.list(mediaKeys(session.accountId, session.id).livePrefix)) {
      const offset = offsetOf(key, session);
      if (offset === undefined) continue;
      if (offset !== end) throw missing(session, end);
      end = offset + sizeBytes;
      yield { key, offset, size: sizeBytes };
    }
    if (end < session.acknowledged) throw missing(session, end);
  }

  /** The bytes from the offset on. @param pieces those that hold them, where they are known; default: all are listed */
  async *read(session: Session, from: number, pieces: Iterable<StoredPiece> | AsyncIterable<StoredPiece> = this.pieces(session)): AsyncGenerator<Buffer> {
    for await (const { key, offset, size } of pieces) {
      if (offset + size <= from) continue;
      const start = Math.max(0, from - offset);
      for await (const bytes of await this.media.get(key, { start })) yield Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    }
  }
}

/** Undefined for a piece that does not count: an older connection put it after a newer one had begun, or it was never acknowledged. */
function offsetOf(key: string, { generations, acknowledged }: Session): number | undefined {
  const [, digits, name] = KEY_END.exec(key) ?? [];
  const offset = Number(digits);
  const index = generations.findIndex(({ generation }) => generation === Number(name));
  const from = generations[index]?.from ?? Infinity;
  const end = generations[index + 1]?.from ?? acknowledged;
  return offset >= from && offset < Math.min(end, acknowledged) ? offset : undefined;
}

const missing = ({ id }: Session, offset: number) => new AppError({ code: 'internal', message: 'Audio of the live session is missing.', cause: new Error(`${id} has no piece at ${offset}`) });
