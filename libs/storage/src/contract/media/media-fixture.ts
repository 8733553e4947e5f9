import type { MediaStore, PutResult } from '../../media/media-store.js';
import type { MediaStoreUnderTest } from './media-store-under-test.js';

export class MediaFixture {
  private underTest: MediaStoreUnderTest | undefined;

  constructor(private readonly open: () => Promise<MediaStoreUnderTest>) {}

  async setUp(): Promise<void> {
    this.underTest = await this.open();
  }

  async tearDown(): Promise<void> {
    await this.opened.dispose();
  }

  get opened(): MediaStoreUnderTest {
    if (!this.underTest) throw new Error('the store is not open');
    return this.underTest;
  }

  get store(): MediaStore {
    return this.opened.store;
  }

  putText(key: string, text: string): Promise<PutResult> {
    return this.store.put(key, body(text));
  }

  async text(key: string, range?: { start?: number; end?: number }): Promise<string> {
    return (await this.bytes(key, range)).toString('utf8');
  }

  async bytes(key: string, range?: { start?: number; end?: number }): Promise<Buffer> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of await this.store.get(key, range)) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  async keys(prefix = ''): Promise<string[]> {
    const keys: string[] = [];
    for await (const { key } of this.store.list(prefix)) keys.push(key);
    return keys;
  }
}

/** The chunks as a body. */
export async function* body(...chunks: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}

/** A body that gives its chunks and then waits for the gate. */
export async function* bodyBefore(gate: Promise<void>, ...chunks: string[]): AsyncGenerator<Uint8Array> {
  yield* body(...chunks);
  await gate;
}
