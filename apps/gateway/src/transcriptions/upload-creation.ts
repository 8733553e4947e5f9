import { randomUUID } from 'node:crypto';
import type { FieldError, IdGenerator } from '@parlance/platform';
import type { PutResult } from '@parlance/storage';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { bodyPointer, invalidFields } from '../http/field-errors.js';
import { addErrors, check } from '../http/request-input.js';
import { fingerprint } from '../idempotency/fingerprint.js';
import { mismatch, type Claim, type Idempotency } from '../idempotency/idempotency.js';
import type { KeyEndings } from '../keys/key-endings.js';
import type { AccountPlans } from '../plans/index.js';
import { readForm, type FormFields, type FormFile } from '../uploads/form-reader.js';
import { formValues } from '../uploads/form-values.js';
import { RENEW_EVERY_MS, type UploadOwner } from '../uploads/upload-leases.js';
import { watchUpload } from '../uploads/upload-pace.js';
import { fileTooLarge, type UploadStore } from '../uploads/upload-store.js';
import { sourceErrors } from './form-source.js';
import { isUncertain, type Creation, type CreationAnswer, type CreationRequest, type NewJob } from './creation.js';
import { newTranscriptionSchema, uploadOptionsSchema } from './job-options-schema.js';
import type { AcceptedJob } from './job-schema.js';
import type { RequestRules } from './request-rules.js';

interface ReceivedFile extends PutResult {
  fileName: string | undefined;
}

interface Received {
  file: ReceivedFile | undefined;
  fields: FormFields;
}

/** A form on its way in, with a file of so many bytes at most. */
interface Form {
  http: FastifyRequest;
  /** Of the API key that it came with. */
  keyId: string;
  maxBytes: number;
}

/** Makes a job of a form: its file streams into the media store as it arrives. */
export class UploadCreation {
  constructor(
    private readonly creation: Creation,
    private readonly idempotency: Idempotency,
    private readonly uploads: UploadStore,
    private readonly rules: RequestRules,
    private readonly ids: IdGenerator,
    private readonly plans: Pick<AccountPlans, 'of'>,
    private readonly keys: Pick<KeyEndings, 'watch'>,
  ) {}

  async byForm(request: CreationRequest, http: FastifyRequest): Promise<CreationAnswer> {
    const { accountId, keyId, idempotencyKey: key } = request;
    const { mediaBytes: maxBytes = this.uploads.limits.maxBytes } = (await this.plans.of(accountId)).limits;
    if (Number(http.headers['content-length']) > maxBytes + FORM_OVERHEAD_BYTES) throw fileTooLarge(maxBytes);
    const form: Form = { http, keyId, maxBytes };
    if (key === undefined) {
      const owner = { accountId, jobId: this.ids.next('job'), token: randomUUID() };
      return { accepted: await this.receiveAndCreate(request, form, owner), replayed: false };
    }
    const begun = await this.idempotency.begin(accountId, key);
    if (begun.kind === 'replay') {
      await this.compare(form, begun.fingerprint);
      return { accepted: begun.response, replayed: true };
    }
    const { claim } = begun;
    return { accepted: await this.creation.finish(claim, () => this.receiveClaimed(request, form, claim)), replayed: false };
  }

  /** When an earlier try made the job, its file stays as it is: this one is only compared with it. */
  private async receiveClaimed(request: CreationRequest, form: Form, claim: Claim): Promise<AcceptedJob> {
    const { accountId, call } = request;
    const made = claim.takenOver ? await this.creation.made(accountId, claim.jobId, call) : undefined;
    const renewal = setInterval(() => void this.idempotency.renew(claim).catch(() => undefined), RENEW_EVERY_MS);
    try {
      if (!made) return await this.receiveAndCreate(request, form, { accountId, jobId: claim.jobId, token: claim.token }, claim);
      await this.idempotency.renew(claim, formFingerprint(await this.digest(form)));
      return made;
    } finally {
      clearInterval(renewal);
    }
  }

  private async receiveAndCreate(request: CreationRequest, form: Form, owner: UploadOwner, claim?: Claim): Promise<AcceptedJob> {
    // Nobody should send gigabytes to hear that they are not taken.
    await this.creation.admitUpload(request);
    let stored = false;
    try {
      const received = await this.receive(form, async (body) => {
        const put = await this.uploads.store(owner, body, abortOf(form.http), form.maxBytes);
        stored = true;
        return put;
      });
      const job = await this.validJob(received, owner);
      if (claim) await this.idempotency.renew(claim, formFingerprint(received));
      if (job.source.$case === 'upload') return await this.creation.byUpload(request, owner, job);
      return await this.creation.withoutFile(request, owner.jobId, job);
    } catch (error) {
      // What may be a job's already is left to the sweep.
      if (stored && !isUncertain(error)) await this.uploads.discard(owner);
      throw error;
    }
  }

  private async compare(form: Form, expected: string | undefined): Promise<void> {
    if (formFingerprint(await this.digest(form)) !== expected) throw mismatch();
  }

  private digest(form: Form): Promise<Received> {
    return this.receive(form, (body) => this.uploads.digest(body, form.maxBytes));
  }

  /** An upload may take days: it ends with its key, or when its account is disabled. */
  private async receive({ http, keyId, maxBytes }: Form, take: (body: AsyncIterable<Uint8Array>) => Promise<PutResult>): Promise<Received> {
    let file: ReceivedFile | undefined;
    const pace = watchUpload(http.raw, this.uploads.limits.pace, maxBytes);
    const keyEnd = new AbortController();
    const unwatchKey = this.keys.watch(keyId, (why) => keyEnd.abort(why));
    const signal = AbortSignal.any([pace.signal, keyEnd.signal]);
    const takeFile = async ({ body, fileName }: FormFile, before: FormFields) => {
      await this.refuseEarly(before);
      file = { ...(await take(body)), fileName };
    };
    try {
      const fields = await readForm(http, { maxFileBytes: maxBytes, signal }, takeFile);
      return { file, fields };
    } finally {
      unwatchKey();
      pace.stop();
    }
  }

  /** A field that is wrong is wrong whatever follows: no need to take gigabytes first. */
  private async refuseEarly(fields: FormFields): Promise<void> {
    await this.validOptions(uploadOptionsSchema, fields, sourceErrors(fields, true));
  }

  private async validJob({ file, fields }: Received, owner: UploadOwner): Promise<NewJob> {
    if (!file) {
      const errors = sourceErrors(fields, false);
      if (!('audio_url' in fields)) throw invalidFields(errors);
      const body = await this.validOptions(newTranscriptionSchema, fields, errors);
      return { source: { $case: 'audioUrl', value: body.audio_url }, options: body };
    }
    const options = await this.validOptions(uploadOptionsSchema, fields, sourceErrors(fields, true));
    const { sizeBytes, sha256, fileName } = file;
    return { source: { $case: 'upload', value: { mediaKey: this.uploads.keyOf(owner), sizeBytes, sha256, fileName } }, options };
  }

  private async validOptions<S extends z.ZodType>(schema: S, fields: FormFields, errors: FieldError[]): Promise<z.output<S>> {
    const values = formValues(fields);
    const options = check(schema, values, bodyPointer, errors) as z.output<S> | undefined;
    addErrors(errors, await this.rules.violations(values));
    if (!options || errors.length > 0) throw invalidFields(errors);
    return options;
  }
}

/** What a form has besides its file. */
const FORM_OVERHEAD_BYTES = 32 * 1024 * 1024;

const formFingerprint = ({ file, fields }: Received): string => fingerprint({ form: fields, file: file?.sha256 ?? null });

/** Aborted when the client goes away before its request is complete. */
function abortOf({ raw }: FastifyRequest): AbortSignal {
  const controller = new AbortController();
  raw.once('close', () => {
    if (!raw.complete) controller.abort();
  });
  return controller.signal;
}
