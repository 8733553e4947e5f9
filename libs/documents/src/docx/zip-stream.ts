import { Zip, ZipDeflate } from 'fflate';

const encoder = new TextEncoder();

/** Deflate writes what it has once it has about this much. */
const PIECE_LENGTH = 32 * 1024;

/** A ZIP file that is given away as it grows: one part after the other, each as text. */
export class ZipStream {
  private readonly zip: Zip;
  private readonly ready: Uint8Array[] = [];
  private failure: Error | undefined;

  /** @param date of the parts; ZIP knows none before 1980. */
  constructor(private readonly date: Date) {
    this.zip = new Zip((error, bytes) => {
      if (error) this.failure = error;
      else this.ready.push(bytes);
    });
  }

  async *part(name: string, texts: AsyncIterable<string> | Iterable<string>): AsyncGenerator<Uint8Array> {
    const file = new ZipDeflate(name, { level: 6 });
    file.mtime = this.date;
    this.zip.add(file);
    let held = '';
    for await (const text of texts) {
      held += text;
      if (held.length < PIECE_LENGTH) continue;
      file.push(encoder.encode(held));
      held = '';
      yield* this.take();
    }
    file.push(encoder.encode(held), true);
    yield* this.take();
  }

  /** The list of the parts, with which the file ends. */
  *end(): Generator<Uint8Array> {
    this.zip.end();
    yield* this.take();
  }

  private *take(): Generator<Uint8Array> {
    if (this.failure) throw this.failure;
    yield* this.ready.splice(0);
  }
}
