import type { StoredPiece } from './stored-audio.js';

/** The pieces that a connection has stored and whose bytes wait to be recognized: a reader that falls behind need not list all pieces of the session. */
export class RecentPieces {
  private pieces: StoredPiece[] = [];

  add(piece: StoredPiece): void {
    this.pieces.push(piece);
  }

  /** The bytes before the offset were recognized. */
  release(offset: number): void {
    const kept = this.pieces.findIndex((piece) => piece.offset + piece.size > offset);
    this.pieces.splice(0, kept === -1 ? this.pieces.length : kept);
  }

  /** The pieces from the one that holds the byte at the offset; undefined when it is not known. */
  from(offset: number): StoredPiece[] | undefined {
    const first = this.pieces.findIndex((piece) => offset >= piece.offset && offset < piece.offset + piece.size);
    return first === -1 ? undefined : this.pieces.slice(first);
  }
}
