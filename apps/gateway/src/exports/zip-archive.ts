import { Zip, ZipDeflate, ZipPassThrough } from 'fflate';

/** Entries and offsets of a ZIP file without ZIP64 have 32 bits; the list of entries at its end needs room as well. */
const MAX_BYTES = 3_500_000_000;

/** A ZIP file that is given away as it is made. A part is read only as fast as the file is. */
export class ZipArchive {
  private readonly zip: Zip;
  private readonly ready: Uint8Array[] = [];
  private failure: Error | undefined;
  private bytes = 0;

  constructor(private readonly date: Date) {
    this.zip = new Zip((error, bytes) => {
      if (error) this.failure = error;
      else this.ready.push(bytes);
    });
  }

  /** True when the file can take no further part. */
  get isFull(): boolean {
    return this.bytes > MAX_BYTES;
  }

  /** @param isPacked the part is compressed already */
  async *part(name: string, pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, isPacked = false): AsyncGenerator<Uint8Array> {
    const file = isPacked ? new ZipPassThrough(name) : new ZipDeflate(name, { level: 6 });
    file.mtime = this.date;
    this.zip.add(file);
    for await (const piece of pieces) {
      file.push(piece);
      yield* this.take();
    }
    file.push(new Uint8Array(), true);
    yield* this.take();
  }

  /** The list of the parts, with which the file ends. */
  *end(): Generator<Uint8Array> {
    this.zip.end();
    yield* this.take();
  }

  private *take(): Generator<Uint8Array> {
    if (this.failure) throw this.failure;
    for (const bytes of this.ready.splice(0)) {
      this.bytes += bytes.length;
      yield bytes;
    }
  }
}
