import { Inject, Injectable } from '@nestjs/common';
import { toAppError } from '@parlance/platform';
import { isUncertain } from '../idempotency/idempotency.js';
import { StorageQuota } from '../uploads/storage-quota.js';
import { uploadKey, uploadNotFound, UploadRecords } from '../uploads/stored/upload-records.js';
import type { UploadOwner } from '../uploads/upload-leases.js';
import { UploadStore } from '../uploads/upload-store.js';
import { Admission } from './admission.js';
import { Creation, type CreationAnswer, type CreationRequest } from './creation.js';
import type { UploadOptions } from './job-options-schema.js';
import type { NewJob } from './job-requests.js';
import type { AcceptedJob } from './job-schema.js';

/** Makes jobs of uploads that are stored already. Each job has a copy of its own, so that upload and jobs are removed without each other. */
@Injectable()
export class StoredUploadCreation {
  constructor(
    @Inject(Admission) private readonly admission: Admission,
    @Inject(Creation) private readonly creation: Creation,
    @Inject(UploadRecords) private readonly records: UploadRecords,
    @Inject(UploadStore) private readonly uploads: UploadStore,
    @Inject(StorageQuota) private readonly storage: Pick<StorageQuota, 'hold'>,
  ) {}

  /** @param rawBody as it came: what the Idempotency-Key stands for. @throws AppError upload_not_found, upload_incomplete, and what admission refuses */
  byIds(request: CreationRequest, uploadIds: readonly string[], options: UploadOptions, rawBody: unknown): Promise<CreationAnswer> {
    return this.creation.once(request, rawBody, async (owner, claim) => {
      const made = claim?.takenOver ? await this.creation.made(owner.accountId, owner.jobId) : undefined;
      if (made) return made;
      await this.admission.admitUpload(request);
      return this.create(request, owner, uploadIds, { options });
    });
  }

  /** For a job that was admitted already. @param uploadIds of one file, or of those of the participants in order */
  async create(request: CreationRequest, owner: UploadOwner, uploadIds: readonly string[], job: Omit<NewJob, 'source'>): Promise<AcceptedJob> {
    const uploads = await Promise.all(uploadIds.map((id, index) => this.records.completed(owner.accountId, id, pointerTo(index, uploadIds))));
    const foreign = request.projectId === undefined ? -1 : uploads.findIndex(({ projectId }) => projectId !== request.projectId);
    if (foreign >= 0) throw uploadNotFound(pointerTo(foreign, uploadIds));
    const sizeBytes = uploads.reduce((sum, upload) => sum + upload.sizeBytes, 0);
    const { sha256 = '', fileName } = uploads[0] ?? {};
    const hold = await this.storage.hold(owner.accountId, sizeBytes);
    let isStored = false;
    try {
      await this.uploads.adopt(owner, uploads.map(uploadKey)).catch((error: unknown) => asMissingUpload(error, uploadIds));
      isStored = true;
      hold.keep(sizeBytes);
      const value = { mediaKey: this.uploads.keyOf(owner), sizeBytes, sha256, fileName, tracks: uploads.length, uploadIds: [...uploadIds] };
      const source = { $case: 'upload' as const, value };
      const accepted = await this.creation.byUpload(request, owner, { ...job, source });
      for (const { id } of uploads) await this.records.used(id);
      return accepted;
    } catch (error) {
      // A file that may belong to a job already is left to the sweep.
      if (isStored && !isUncertain(error)) await this.uploads.discard(owner);
      throw error;
    } finally {
      hold.release();
    }
  }
}

/** The field of the request that names the upload; several uploads are named by `files`. */
const pointerTo = (index: number, { length }: readonly string[]): string => (length > 1 ? `/files/${index}/upload_id` : '/upload_id');

/** An upload was deleted, or expired, since it was looked up. */
function asMissingUpload(error: unknown, uploadIds: readonly string[]): never {
  if (toAppError(error).kind !== 'not_found') throw error;
  throw uploadNotFound(uploadIds.length > 1 ? '/files' : '/upload_id');
}
