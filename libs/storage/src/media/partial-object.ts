/**
 * An object that arrives in pieces, over requests, processes and restarts. Plain JSON that the caller keeps: each state replaces
 * the one before, and only the latest may be continued.
 */
export interface PartialObject {
  key: string;
  /** The adapter's name for it. */
  session: string;
  /** Bytes that are durable. */
  sizeBytes: number;
  /** The number of the next part. A process that takes over from one that may still be writing skips a number, since that one may be using it. */
  nextPart: number;
  /** Parts that are stored, where the store has such, in order. */
  parts: PartialPart[];
  /** The bytes behind the last part, where they are too few for one: an object of their own until more arrive. */
  tail?: { key: string; sizeBytes: number };
  /** The state of the sealing, where the object is sealed. */
  sealed?: SealedState;
}

interface SealedState {
  /** The object's id, in hexadecimal. */
  objectId: string;
  /** Full blocks that are durable. */
  blocks: number;
  /** The clear bytes behind them: an object of their own, sealed as the last block, until more arrive. */
  tail?: { key: string; sizeBytes: number };
}

interface PartialPart {
  number: number;
  tag: string;
  sizeBytes: number;
}

export interface AppendOptions {
  /** The maximum of the whole object. */
  maxBytes: number;
  signal?: AbortSignal;
  /**
   * Keeps each state as soon as its bytes are durable; when it throws, no more is stored. Without it, only the bytes of a body that
   * came to its end count.
   */
  onStored?: (partial: PartialObject) => Promise<void>;
}

/** After as many bytes they are made durable and reported. */
export const PIECE_BYTES = 8 * 1024 * 1024;
