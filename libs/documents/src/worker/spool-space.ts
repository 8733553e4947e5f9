import { busy } from './busy.js';

/** Bytes that all documents together may take which are being written or read. */
export class SpoolSpace {
  private taken = 0;

  constructor(private readonly maxBytes: number) {}

  /** @throws AppError service_unavailable when that many are not left. */
  take(bytes: number): void {
    if (this.taken + bytes > this.maxBytes || this.taken >= this.maxBytes) throw busy('Documents that are being downloaded take all the space available for them.');
    this.taken += bytes;
  }

  giveBack(bytes: number): void {
    this.taken -= bytes;
  }
}
