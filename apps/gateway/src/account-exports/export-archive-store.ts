import { Inject, Injectable } from '@nestjs/common';
import { mediaKeys } from '@parlance/contracts';
import { DATA_KEYS, MEDIA_STORE } from '@parlance/runtime';
import { readObject, type DataKeys, type MediaStore, type PutResult } from '@parlance/storage';
import { API_VERSION, PRODUCT_VERSION } from '../info/product-version.js';
import type { AccountExport } from './account-export.js';
import { zipEnd, zipFile, type ZipEntry } from './zip64.js';

type ExportRef = Pick<AccountExport, 'id' | 'exportId'>;

/** The stored bytes of exports: parts while they are made, each with the list of its files, and then the archive alone. */
@Injectable()
export class ExportArchiveStore {
  constructor(
    @Inject(MEDIA_STORE) private readonly media: MediaStore,
    @Inject(DATA_KEYS) private readonly keys: Pick<DataKeys, 'destroy'> | null,
  ) {}

  /** Stores a part, in place of what a killed try has stored. @param bytes adds to the files while it is read */
  async putPart(ref: ExportRef, number: number, bytes: AsyncIterable<Uint8Array>, files: readonly ZipEntry[], signal: AbortSignal): Promise<number> {
    const keys = keysOf(ref);
    const { sizeBytes } = await this.media.put(keys.archivePart(number), bytes, { signal });
    await this.media.put(keys.archiveIndex(number), one(Buffer.from(JSON.stringify(files))), { signal });
    return sizeBytes;
  }

  /** Joins the parts to the archive, with the manifest and the list of all files at its end. */
  putArchive(order: AccountExport, now: Date, signal: AbortSignal): Promise<PutResult> {
    return this.media.put(keysOf(order).archive, this.archiveBytes(order, now), { signal });
  }

  async size(ref: ExportRef): Promise<number | undefined> {
    return (await this.media.head(keysOf(ref).archive))?.sizeBytes;
  }

  get(ref: ExportRef, range: { start: number; end: number }): Promise<AsyncIterable<Uint8Array>> {
    return this.media.get(keysOf(ref).archive, range);
  }

  async removeParts(ref: ExportRef): Promise<void> {
    for (const prefix of [keysOf(ref).archivePartPrefix, keysOf(ref).archiveIndexPrefix]) await this.media.removePrefix(prefix);
  }

  /** The key first: no copy of the archive can be read then. */
  async remove(ref: ExportRef): Promise<void> {
    await this.keys?.destroy(ref.id, ref.exportId);
    await this.media.removePrefix(keysOf(ref).all);
  }

  private async *archiveBytes(order: AccountExport, now: Date): AsyncGenerator<Uint8Array> {
    const date = new Date(order.createdAt);
    let offset = 0;
    for (let number = 1; number <= order.parts; number += 1) {
      for await (const piece of await this.media.get(keysOf(order).archivePart(number))) {
        offset += piece.length;
        yield piece;
      }
    }
    const last: ZipEntry[] = [];
    for await (const piece of zipFile({ name: 'manifest.json', pieces: manifest(order, now, this.files(order)) }, offset, date, (entry) => last.push(entry))) {
      offset += piece.length;
      yield piece;
    }
    yield* zipEnd(followedBy(this.files(order), last), offset, date);
  }

  /** The files of all parts, with their places in the archive. */
  private async *files(order: AccountExport): AsyncGenerator<ZipEntry> {
    const keys = keysOf(order);
    let base = 0;
    for (let number = 1; number <= order.parts; number += 1) {
      const files = JSON.parse((await readObject(this.media, keys.archiveIndex(number))).toString()) as ZipEntry[];
      for (const file of files) yield { ...file, offset: file.offset + base };
      base += (await this.media.head(keys.archivePart(number)))?.sizeBytes ?? 0;
    }
  }
}

const keysOf = ({ id, exportId }: ExportRef) => mediaKeys(id, exportId);

/** Lists the files of the archive with their digests, and counts those below each folder. */
async function* manifest(order: AccountExport, now: Date, files: AsyncIterable<ZipEntry>): AsyncGenerator<Uint8Array> {
  const head = { product: 'Parlance', product_version: PRODUCT_VERSION, api_version: API_VERSION, account_id: order.id, export_id: order.exportId, media: order.hasMedia, requested_at: order.createdAt, created_at: now.toISOString() };
  const counts = new Map<string, number>();
  yield Buffer.from(`${JSON.stringify(head).slice(0, -1)},"files":[`);
  let separator = '';
  for await (const { name, sizeBytes, sha256 } of files) {
    const [folder = name] = name.split('/');
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
    yield Buffer.from(`${separator}${JSON.stringify({ name, size: sizeBytes, sha256 })}`);
    separator = ',';
  }
  yield Buffer.from(`],"counts":${JSON.stringify(Object.fromEntries(counts))}}`);
}

async function* followedBy<T>(items: AsyncIterable<T>, last: readonly T[]): AsyncGenerator<T> {
  yield* items;
  yield* last;
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
