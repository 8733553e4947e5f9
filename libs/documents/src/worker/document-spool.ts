import { randomUUID } from 'node:crypto';
import { open, unlink, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { toAppError } from '@parlance/platform';
import type { SpoolSpace } from './spool-space.js';

const PIECE_LENGTH = 64 * 1024;

/**
 * A document between its thread and its reader, in a scratch file: written as fast as it goes and read while it grows, so
 * that a slow reader holds no thread and no memory. The file has no name: nothing is left of it, however the process ends.
 */
export class DocumentSpool {
  /** Bytes of the space that this spool has reserved. */
  private taken = 0;
  /** and that can be read. */
  private size = 0;
  private outcome: 'growing' | 'complete' | { error: unknown } = 'growing';
  private changed = Promise.withResolvers<void>();

  private constructor(
    private readonly file: FileHandle,
    private readonly space: SpoolSpace,
  ) {}

  /** @throws AppError service_unavailable when there is no space left, storage_full when the disk has none. */
  static async open(folder: string, space: SpoolSpace): Promise<DocumentSpool> {
    space.take(0);
    const path = join(folder, `document-${randomUUID()}`);
    try {
      const file = await open(path, 'wx+', 0o600);
      await unlink(path);
      return new DocumentSpool(file, space);
    } catch (error) {
      throw toAppError(error);
    }
  }

  /** @throws AppError service_unavailable when there is no space left, storage_full when the disk has none. */
  async append(bytes: Uint8Array): Promise<void> {
    this.space.take(bytes.length);
    this.taken += bytes.length;
    try {
      for (let written = 0; written < bytes.length; ) {
        written += (await this.file.write(bytes, written, bytes.length - written, this.size + written)).bytesWritten;
      }
    } catch (error) {
      throw toAppError(error);
    }
    this.size += bytes.length;
    this.tell();
  }

  /** Nothing more comes: the document is complete, or `failure` says why it never will be. */
  end(failure?: { error: unknown }): void {
    this.outcome = failure ?? 'complete';
    this.tell();
  }

  /** From the beginning to the end, waiting for what is not written yet. @throws what the document failed with. */
  async *read(): AsyncGenerator<Uint8Array> {
    for (let at = 0; ; ) {
      if (typeof this.outcome === 'object') throw this.outcome.error;
      if (at < this.size) {
        const buffer = Buffer.allocUnsafe(Math.min(PIECE_LENGTH, this.size - at));
        const { bytesRead } = await this.file.read(buffer, 0, buffer.length, at);
        at += bytesRead;
        yield buffer.subarray(0, bytesRead);
      } else if (this.outcome === 'complete') return;
      else await this.changed.promise;
    }
  }

  async close(): Promise<void> {
    await this.file.close();
    this.space.giveBack(this.taken);
    this.taken = 0;
  }

  private tell(): void {
    this.changed.resolve();
    this.changed = Promise.withResolvers();
  }
}
