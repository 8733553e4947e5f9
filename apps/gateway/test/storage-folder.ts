import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger, ulidGenerator, type Clock } from '@parlance/platform';
import { openDocumentDatabase, openMediaStore, type DocumentDatabase, type MediaStore } from '@parlance/storage';

/** Embedded storage in a temporary folder, at a time the test sets. */
export class StorageFolder implements AsyncDisposable {
  private constructor(
    readonly folder: string,
    readonly documents: DocumentDatabase,
    readonly media: MediaStore,
    readonly clock: Clock & { set(time: Date): void },
  ) {}

  static async open(start = '2026-01-01T00:00:00.000Z'): Promise<StorageFolder> {
    const folder = await mkdtemp(join(tmpdir(), 'parlance-gateway-'));
    let now = new Date(start);
    const clock = { now: () => now, set: (time: Date) => void (now = time) };
    const dependencies = { clock, ids: ulidGenerator(), log: silentLogger(), source: 'gateway' };
    const documents = await openDocumentDatabase(`sqlite:${join(folder, 'gateway.db')}`, dependencies);
    return new StorageFolder(folder, documents, await openMediaStore(`file:${join(folder, 'media')}`), clock);
  }

  after(milliseconds: number): void {
    this.clock.set(new Date(this.clock.now().getTime() + milliseconds));
  }

  async keys(): Promise<string[]> {
    const keys: string[] = [];
    for await (const { key } of this.media.list('')) keys.push(key);
    return keys;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.documents.close();
    await rm(this.folder, { recursive: true });
  }
}
