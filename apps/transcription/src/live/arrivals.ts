/** When the samples of a stream arrived, as far back as it is asked. */
export class Arrivals {
  private readonly known: { samples: number; at: number }[] = [];
  private bytes = 0;

  /** @param now milliseconds of any clock */
  add(bytes: number, now: number): void {
    this.bytes += bytes;
    this.known.push({ samples: Math.floor(this.bytes / 2), at: now });
  }

  /** Forgets what arrived before the sample. @returns milliseconds since the sample arrived */
  since(sample: number, now: number): number {
    const place = this.known.findIndex(({ samples }) => samples >= sample);
    this.known.splice(0, place === -1 ? Math.max(this.known.length - 1, 0) : place);
    return now - (this.known[0]?.at ?? now);
  }
}
