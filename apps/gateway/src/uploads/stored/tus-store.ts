import type { Readable } from 'node:stream';
import type { MediaStore } from '@parlance/storage';
import { DataStore, Upload as TusUpload } from '@tus/server';
import { fileNameOf } from '../file-name.js';
import { charged, type StorageHold } from '../storage-quota.js';
import type { UploadChecksum } from './upload-checksum.js';
import type { UploadLocks } from './upload-locks.js';
import type { UploadRecords } from './upload-records.js';
import type { Upload } from './upload.js';

interface TusRequest {
  accountId: string;
  /** The project of the calling key. */
  projectId: string | undefined;
  checksum: UploadChecksum | undefined;
  hold: StorageHold;
}

/** The store of the tus server for one request: bytes go to the media store, and what is known of them to the records. */
export class TusStore extends DataStore {
  override extensions = ['creation', 'creation-with-upload'];

  constructor(
    private readonly records: UploadRecords,
    private readonly media: Pick<MediaStore, 'append'>,
    private readonly locks: UploadLocks,
    private readonly request: TusRequest,
  ) {
    super();
  }

  override async create(upload: TusUpload): Promise<TusUpload> {
    const { id, size = 0, metadata } = upload;
    const fileName = fileNameOf(metadata?.filename ?? metadata?.name ?? undefined);
    await this.records.beginResumable(this.request.accountId, id, {
      sizeBytes: size,
      ...(this.request.projectId !== undefined && { projectId: this.request.projectId }),
      writer: this.locks.writerOf(id),
      ...(fileName !== undefined && { fileName }),
      ...(metadata && { tusMetadata: metadata }),
    });
    return upload;
  }

  override async getUpload(id: string): Promise<TusUpload> {
    return asTusUpload(await this.records.settle(await this.records.get(this.request.accountId, id)));
  }

  override write(stream: Readable, id: string, _offset: number): Promise<number> {
    return this.locks.during(id, this.append(stream, id));
  }

  /** With a checksum, nothing counts before all of it is right. */
  private async append(stream: AsyncIterable<Uint8Array>, id: string): Promise<number> {
    const { accountId, checksum, hold } = this.request;
    const writer = this.locks.writerOf(id);
    const { partial, sizeBytes: maxBytes = 0, status } = await this.records.get(accountId, id);
    if (!partial || status !== 'uploading') return maxBytes;
    const keep = (next: typeof partial) => this.records.keep(id, writer, next);
    const body = charged(stream, hold);
    const next = checksum ? await this.media.append(partial, checksum.check(body), { maxBytes }) : await this.media.append(partial, body, { maxBytes, onStored: keep });
    if (checksum) await keep(next);
    await this.records.settle(await this.records.get(accountId, id));
    return next.sizeBytes;
  }
}

function asTusUpload({ id, partial, sizeBytes = 0, receivedBytes, tusMetadata }: Upload): TusUpload {
  return new TusUpload({ id, size: sizeBytes, offset: partial?.sizeBytes ?? receivedBytes, ...(tusMetadata && { metadata: tusMetadata }) });
}
