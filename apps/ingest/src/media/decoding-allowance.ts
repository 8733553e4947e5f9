import { BYTES_PER_SECOND } from './audio-decoder.js';
import { maxPlausibleSeconds, unpacksTooFar } from './plausible-media.js';
import type { ScratchRoom } from './scratch-budget.js';

/** First reservation for a file that does not state its length, as a browser's WebM: seconds that it does not have are missing in other jobs. */
const FIRST_SECONDS = 30;
/** Decoders give some frames more than a header states. */
const MARGIN_SECONDS = 5;
const GROWTH = 1.5;
/** So much at most is held that a file may not have. */
const MAX_STEP_SECONDS = 120;
/** The decoded audio and the chunks that are cut from it. */
const COPIES = 2;

/** Bytes of scratch room that so many seconds of one channel need beside their source. */
const decodedBytes = (seconds: number): number => Math.ceil(COPIES * seconds * BYTES_PER_SECOND);

interface AllowanceOptions {
  room: Pick<ScratchRoom, 'extend'>;
  /** Size of the source. */
  sizeBytes: number;
  /** Channels that are decoded apart: each needs room, and counts as seconds of the account. */
  channels: number;
  maxDurationSeconds: number;
  /** Sets seconds of the account aside; a later call is of the whole, too. */
  reserveSeconds: (seconds: number) => Promise<void>;
}

/** Limits how far a recording is decoded, by the scratch room and the account's seconds that were reserved before. */
export class DecodingAllowance {
  private seconds = 0;

  constructor(private readonly options: AllowanceOptions) {}

  /** Before decoding. @throws AppError scratch_busy, storage_full, quota_exhausted */
  begin(expectedSeconds: number | undefined): Promise<void> {
    return this.raise((expectedSeconds ?? FIRST_SECONDS) + MARGIN_SECONDS);
  }

  /** Before audio is kept that makes so many seconds in all. @throws AppError media_implausible, scratch_busy, storage_full, quota_exhausted */
  async admit(seconds: number): Promise<void> {
    if (seconds <= this.seconds) return;
    const { sizeBytes } = this.options;
    if (seconds > maxPlausibleSeconds(sizeBytes)) throw unpacksTooFar(sizeBytes);
    await this.raise(Math.max(seconds, Math.min(this.seconds * GROWTH, this.seconds + MAX_STEP_SECONDS)));
  }

  private async raise(seconds: number): Promise<void> {
    const { room, channels, maxDurationSeconds, reserveSeconds } = this.options;
    const raised = Math.min(seconds, maxDurationSeconds);
    // Room first: a job that waits for it must not hold seconds that other jobs of the account could use.
    await room.extend(decodedBytes((raised - this.seconds) * channels));
    await reserveSeconds(raised * channels);
    this.seconds = raised;
  }
}
