import { Inject, Injectable } from '@nestjs/common';
import { AppError, notFound, toAppError, type IdGenerator } from '@parlance/platform';
import { CONFIG, ID_GENERATOR, MEDIA_STORE } from '@parlance/runtime';
import type { MediaStore } from '@parlance/storage';
import type { GatewayConfig } from '../../gateway.config.js';
import type { Caller } from '../../keys/authenticator.js';
import { fileNameOf } from '../file-name.js';
import { StorageQuota } from '../storage-quota.js';
import { fileTooLarge } from '../upload-store.js';
import { UploadIntake } from './upload-intake.js';
import { UploadRecords } from './upload-records.js';
import type { Upload } from './upload.js';

const MIN_PART_BYTES = 16 * 1024 * 1024;
/** So many URLs are in an answer at most. */
const MAX_PARTS = 1000;
/** S3 signs for no longer. */
const MAX_SECONDS = 7 * 24 * 3600;

interface DirectPart {
  number: number;
  url: string;
  sizeBytes: number;
}

/** Uploads whose parts clients send to the bucket by themselves. */
@Injectable()
export class DirectUploads {
  constructor(
    @Inject(UploadRecords) private readonly records: UploadRecords,
    @Inject(UploadIntake) private readonly intake: Pick<UploadIntake, 'maxBytes'>,
    @Inject(MEDIA_STORE) private readonly media: MediaStore,
    @Inject(StorageQuota) private readonly storage: Pick<StorageQuota, 'hold'>,
    @Inject(ID_GENERATOR) private readonly ids: IdGenerator,
    @Inject(CONFIG) private readonly config: Pick<GatewayConfig, 'DIRECT_UPLOADS' | 'UPLOAD_EXPIRY_HOURS'>,
  ) {}

  /** @throws AppError not_supported, media_too_large, storage_quota_exhausted, too_many_uploads */
  async create({ accountId, projectId }: Pick<Caller, 'accountId' | 'projectId'>, sizeBytes: number, stated: string | undefined): Promise<{ upload: Upload; parts: DirectPart[] }> {
    const { direct } = this.media;
    if (!direct || this.config.DIRECT_UPLOADS !== 'true') throw new AppError({ kind: 'invalid', code: 'not_supported', message: 'This server takes no parts by presigned URLs. Send the file to POST /api/v1/uploads.' });
    const maxBytes = await this.intake.maxBytes(accountId);
    if (sizeBytes > maxBytes) throw fileTooLarge(maxBytes);
    // It is only looked whether there is room; once the upload has begun, all of its bytes count.
    (await this.storage.hold(accountId, sizeBytes)).release();
    const directPartBytes = Math.max(MIN_PART_BYTES, Math.ceil(sizeBytes / MAX_PARTS));
    const fileName = fileNameOf(stated);
    const upload = await this.records.beginResumable(accountId, this.ids.next('upl'), { sizeBytes, directPartBytes, ...(projectId !== undefined && { projectId }), ...(fileName !== undefined && { fileName }) });
    const sizes = partSizes(sizeBytes, directPartBytes);
    const seconds = Math.min(MAX_SECONDS, this.config.UPLOAD_EXPIRY_HOURS * 3600);
    const urls = upload.partial ? await direct.urls(upload.partial, sizes.length, seconds) : [];
    return { upload, parts: urls.map((url, index) => ({ number: index + 1, url, sizeBytes: sizes[index] ?? 0 })) };
  }

  /** Again does nothing. @throws AppError not_found, upload_incomplete, invalid_state for an upload of another kind */
  async complete(accountId: string, id: string): Promise<Upload> {
    const upload = await this.records.get(accountId, id);
    const { status, partial, directPartBytes, sizeBytes = 0 } = upload;
    if (status === 'completed') return upload;
    if (!partial || directPartBytes === undefined || !this.media.direct) throw new AppError({ kind: 'conflict', code: 'invalid_state', message: 'This upload is completed by its last byte.' });
    const arrived = await this.media.direct.arrived(partial).catch(asNotFound);
    const missing = partSizes(sizeBytes, directPartBytes).flatMap((size, index) => (arrived.parts.find(({ number }) => number === index + 1)?.sizeBytes === size ? [] : [index + 1]));
    if (missing.length > 0) throw new AppError({ kind: 'conflict', code: 'upload_incomplete', message: `Parts are missing, or do not have the size that was agreed: ${missing.slice(0, 20).join(', ')}${missing.length > 20 ? ', …' : ''}.` });
    return this.records.settle({ ...upload, partial: arrived });
  }
}

const partSizes = (sizeBytes: number, partBytes: number): number[] => Array.from({ length: Math.ceil(sizeBytes / partBytes) }, (_, index) => Math.min(partBytes, sizeBytes - index * partBytes));

function asNotFound(error: unknown): never {
  throw toAppError(error).code === 'upload_removed' ? notFound('The upload') : error;
}
