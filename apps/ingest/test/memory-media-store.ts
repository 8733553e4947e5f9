import { createHash } from 'node:crypto';
import { notFound } from '@parlance/platform';
import type { MediaStore } from '@parlance/storage';

/** A media store that keeps its objects in memory and shows what was put. */
export class MemoryMediaStore implements MediaStore {
  readonly objects = new Map<string, Buffer>();

  async put(key: string, body: AsyncIterable<Uint8Array>, options: { signal?: AbortSignal } = {}) {
    const pieces: Uint8Array[] = [];
    for await (const piece of body) {
      options.signal?.throwIfAborted();
      pieces.push(piece);
    }
    const whole = Buffer.concat(pieces);
    this.objects.set(key, whole);
    return { sizeBytes: whole.length, sha256: createHash('sha256').update(whole).digest('hex') };
  }

  async get(key: string, { start = 0, end }: { start?: number; end?: number } = {}) {
    const whole = this.objects.get(key);
    if (!whole) throw notFound('The object');
    const bytes = whole.subarray(start, end);
    return (async function* () {
      for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
    })();
  }

  async head(key: string) {
    const whole = this.objects.get(key);
    return whole && { key, sizeBytes: whole.length };
  }

  async *list(prefix: string) {
    for (const key of [...this.objects.keys()].filter((name) => name.startsWith(prefix)).toSorted()) {
      yield { key, sizeBytes: this.objects.get(key)?.length ?? 0 };
    }
  }

  async remove(key: string) {
    return this.objects.delete(key);
  }

  async removePrefix(prefix: string) {
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix));
    for (const key of keys) this.objects.delete(key);
    return keys.length;
  }

  async check() {}
}
