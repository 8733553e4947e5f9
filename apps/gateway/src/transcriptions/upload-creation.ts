import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { fingerprintInTurns } from '../idempotency/fingerprint.js';
import { Idempotency, isUncertain, mismatch, type Claim } from '../idempotency/idempotency.js';
import type { UploadOwner } from '../uploads/upload-leases.js';
import { charged, StorageQuota } from '../uploads/storage-quota.js';
import { notEmpty } from '../uploads/empty-file.js';
import { fileTooLarge, UploadStore } from '../uploads/upload-store.js';
import { Admission } from './admission.js';
import { Creation, type CreationAnswer, type CreationRequest } from './creation.js';
import type { AcceptedJob } from './job-schema.js';
import { StoredUploadCreation } from './stored-upload-creation.js';
import { UploadForms, type ReceivedForm, type UploadForm } from './upload-forms.js';

/** Makes a job of a form: its file streams into the media store as it arrives. */
@Injectable()
export class UploadCreation {
  constructor(
    @Inject(Admission) private readonly admission: Admission,
    @Inject(Creation) private readonly creation: Creation,
    @Inject(StoredUploadCreation) private readonly storedUploads: Pick<StoredUploadCreation, 'create'>,
    @Inject(UploadForms) private readonly forms: UploadForms,
    @Inject(Idempotency) private readonly idempotency: Idempotency,
    @Inject(UploadStore) private readonly uploads: UploadStore,
    @Inject(StorageQuota) private readonly storage: Pick<StorageQuota, 'hold'>,
  ) {}

  async byForm(request: CreationRequest, http: FastifyRequest): Promise<CreationAnswer> {
    const { accountId, credentialId, idempotencyKey: key } = request;
    const { mediaBytes: maxBytes = this.uploads.limits.maxBytes } = await this.admission.planLimitsOf(accountId);
    const expectedBytes = Number(http.headers['content-length'] ?? 0);
    if (expectedBytes > maxBytes + FORM_OVERHEAD_BYTES) throw fileTooLarge(maxBytes);
    const form: UploadForm = { http, credentialId, maxBytes, expectedBytes };
    if (key === undefined) return { accepted: await this.receiveAndCreate(request, form, this.creation.owner(accountId)), replayed: false };
    const begun = await this.idempotency.begin(accountId, key);
    if (begun.kind === 'replay') {
      await this.compare(form, begun.fingerprint);
      return { accepted: begun.response, replayed: true };
    }
    const { claim } = begun;
    return { accepted: await this.creation.finish(claim, () => this.receiveClaimed(request, form, claim)), replayed: false };
  }

  /** When an earlier try made the job, its file stays as it is: this one is only compared with it. */
  private async receiveClaimed(request: CreationRequest, form: UploadForm, claim: Claim): Promise<AcceptedJob> {
    const { accountId } = request;
    const made = claim.takenOver ? await this.creation.made(accountId, claim.jobId) : undefined;
    if (!made) return this.receiveAndCreate(request, form, { accountId, jobId: claim.jobId, token: claim.token }, claim);
    await this.idempotency.renew(claim, await formFingerprint(await this.forms.digest(form)));
    return made;
  }

  private async receiveAndCreate(request: CreationRequest, form: UploadForm, owner: UploadOwner, claim?: Claim): Promise<AcceptedJob> {
    // Checks the limits first, so that a client need not send gigabytes that are refused.
    await this.admission.admitUpload(request);
    const hold = await this.storage.hold(request.accountId, form.expectedBytes);
    let stored = false;
    try {
      const received = await this.forms.receive(form, async (body) => {
        const put = await this.uploads.store(owner, notEmpty(charged(body, hold)), abortOf(form.http), { maxBytes: form.maxBytes, expectedBytes: form.expectedBytes });
        stored = true;
        hold.keep(put.sizeBytes);
        return put;
      });
      const job = await this.forms.jobOf(received, owner);
      if (claim) await this.idempotency.renew(claim, await formFingerprint(received));
      const { source, options } = job;
      if (source.$case === 'uploadId') return await this.storedUploads.create(request, owner, [source.value], { options });
      if (source.$case === 'upload') return await this.creation.byUpload(request, owner, { source, options });
      return await this.creation.withoutFile(request, owner.jobId, { source, options, audioHeaders: 'audioHeaders' in job ? job.audioHeaders : undefined });
    } catch (error) {
      // A file that may belong to a job already is left to the sweep.
      if (stored && !isUncertain(error)) await this.uploads.discard(owner);
      throw error;
    } finally {
      hold.release();
    }
  }

  private async compare(form: UploadForm, expected: string | undefined): Promise<void> {
    if ((await formFingerprint(await this.forms.digest(form))) !== expected) throw mismatch();
  }
}

/** More than a form has besides its file: a Content-Length with more than that and the file's maximum is of a file too large. */
const FORM_OVERHEAD_BYTES = 32 * 1024 * 1024;

const formFingerprint = ({ file, fields }: ReceivedForm): Promise<string> => fingerprintInTurns({ form: fields, file: file?.sha256 ?? null });

/** Aborted when the client goes away before its request is complete. */
function abortOf({ raw }: FastifyRequest): AbortSignal {
  const controller = new AbortController();
  raw.once('close', () => {
    if (!raw.complete) controller.abort();
  });
  return controller.signal;
}
