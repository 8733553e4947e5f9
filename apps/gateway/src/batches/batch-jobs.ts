import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { JobService } from '@parlance/contracts';
import { toAppError } from '@parlance/platform';
import { JOB_SERVICE } from '@parlance/runtime';
import { Admission } from '../transcriptions/admission.js';
import { Creation, type CreationRequest } from '../transcriptions/creation.js';
import type { NewJob } from '../transcriptions/job-requests.js';
import { StoredUploadCreation } from '../transcriptions/stored-upload-creation.js';
import type { Batch, BatchItem } from './batch.js';
import { wholeOptions } from './batch-intake.js';

/** The jobs of a batch's items, each under the id that its item has from the beginning. */
@Injectable()
export class BatchJobs {
  constructor(
    @Inject(Creation) private readonly creation: Pick<Creation, 'made' | 'withoutFile'>,
    @Inject(StoredUploadCreation) private readonly uploadCreation: Pick<StoredUploadCreation, 'create'>,
    @Inject(Admission) private readonly admission: Pick<Admission, 'admitUrl' | 'admitUpload'>,
    @Inject(JOB_SERVICE) private readonly jobs: Pick<JobService, 'cancelJob'>,
  ) {}

  /** True when a try, which may have been killed since, has created the item's job. */
  async has({ accountId, jobId }: BatchItem): Promise<boolean> {
    return (await this.creation.made(accountId, jobId)) !== undefined;
  }

  /** @throws AppError what admission or the creation refuses */
  async create({ id: batchId, keyId, credentialId, projectId, defaults }: Batch, item: BatchItem): Promise<void> {
    const { accountId, jobId, request } = item;
    if (!request) return;
    const { source, sealedCallbackHeaders } = request;
    const options = wholeOptions(request, defaults);
    const creation: CreationRequest = { accountId, keyId, credentialId, mayRead: true, idempotencyKey: undefined, requestId: batchId, batchId, projectId };
    if ('uploadIds' in source) return this.createOfUploads(creation, item, source.uploadIds, { options, sealedCallbackHeaders });
    await this.admission.admitUrl(creation);
    await this.creation.withoutFile(creation, jobId, { source: { $case: 'audioUrl', value: source.audioUrl }, options, sealedAudioHeaders: source.sealedHeaders, sealedCallbackHeaders });
  }

  private async createOfUploads(creation: CreationRequest, item: BatchItem, uploadIds: readonly string[], job: Omit<NewJob, 'source'>): Promise<void> {
    // Its copy of the file belongs to the job then.
    if (await this.has(item)) return;
    await this.admission.admitUpload(creation);
    await this.uploadCreation.create(creation, { accountId: item.accountId, jobId: item.jobId, token: randomUUID() }, uploadIds, job);
  }

  /** @returns false when there is no such job; one that has ended stays as it is */
  async cancel({ accountId, jobId }: BatchItem): Promise<boolean> {
    try {
      await this.jobs.cancelJob({ accountId, jobId });
    } catch (error) {
      const { kind } = toAppError(error);
      if (kind === 'not_found') return false;
      if (kind !== 'conflict') throw error;
    }
    return true;
  }
}
