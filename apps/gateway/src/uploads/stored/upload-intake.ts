import { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { AppError, toAppError } from '@parlance/platform';
import { MEDIA_STORE } from '@parlance/runtime';
import type { MediaStore, PutResult } from '@parlance/storage';
import type { FastifyRequest } from 'fastify';
import { invalidFields } from '../../http/field-errors.js';
import { jsonTypeOf } from '../../http/json-type.js';
import { requirePlainBody } from '../../http/request-input.js';
import { credentialOf, type Caller } from '../../keys/authenticator.js';
import { AccountPlans } from '../../plans/index.js';
import { emptyFile, notEmpty } from '../empty-file.js';
import { fileNameOf } from '../file-name.js';
import { readForm, type FormFields } from '../form-reader.js';
import { RequestWatches } from '../request-watches.js';
import { charged, StorageQuota } from '../storage-quota.js';
import { untilAborted } from '../until-aborted.js';
import { RENEW_EVERY_MS } from '../upload-leases.js';
import { fileTooLarge, UploadStore } from '../upload-store.js';
import { statedDigest } from './digest-field.js';
import { uploadKey, UploadRecords } from './upload-records.js';
import type { Upload } from './upload.js';

/** More than a form has besides its file. */
const FORM_OVERHEAD_BYTES = 32 * 1024 * 1024;

type Take = (body: AsyncIterable<Uint8Array>) => Promise<PutResult>;

interface ReceivedFile {
  put: PutResult;
  fileName: string | undefined;
}

/** Reads the request and gives its file to `take`. */
type ReadFile = (take: Take, limits: { signal: AbortSignal; maxBytes: number }) => Promise<ReceivedFile>;

/** Properties of a file that are known before it arrives. */
interface Announced {
  isForm: boolean;
  fileName?: string | undefined;
  digest?: string | undefined;
  /** Bytes that are put before the body. */
  headBytes?: number;
}

/** Options of reading the file of a form. */
interface FormFileOptions {
  /** The part with the file. */
  fileField?: string;
  /** Changes the file as it arrives. It must read the file to its end. */
  transform?: (body: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;
}

/** Receives whole files, each in one request, as its body or as the file of a form. */
@Injectable()
export class UploadIntake {
  constructor(
    @Inject(UploadRecords) private readonly records: UploadRecords,
    @Inject(UploadStore) private readonly uploads: Pick<UploadStore, 'limits'>,
    @Inject(MEDIA_STORE) private readonly media: MediaStore,
    @Inject(StorageQuota) private readonly storage: Pick<StorageQuota, 'hold'>,
    @Inject(AccountPlans) private readonly plans: Pick<AccountPlans, 'of'>,
    @Inject(RequestWatches) private readonly watches: RequestWatches,
  ) {}

  /**
   * The upload is there whole, or nothing of it is.
   * @throws AppError media_too_large, media_empty, digest_mismatch, storage_quota_exhausted, storage_full, request_timeout, malformed_request, not_found when it was deleted meanwhile
   */
  async receive(caller: Caller, request: FastifyRequest, stated: string | undefined): Promise<Upload> {
    requirePlainBody(request);
    if (jsonTypeOf(request.headers['content-type']) !== 'other') throw new AppError({ kind: 'unsupported_media', code: 'unsupported_media_type', message: 'JSON is neither audio nor video. Send the bytes of the file with its media type, or as application/octet-stream.' });
    const isForm = request.isMultipart();
    const digest = statedDigest(request.headers);
    if (isForm && digest !== undefined) throw new AppError({ kind: 'invalid', code: 'malformed_request', message: 'A digest of a form does not say what the digest of its file is. Send the file as the body.' });
    if (!isForm && request.headers['content-length'] === '0') throw emptyFile();
    return this.receiving(caller, request, { isForm, fileName: fileNameOf(stated), digest }, async (take, { signal, maxBytes }) => {
      if (!isForm) return { put: await take(untilAborted(request.raw, signal)), fileName: undefined };
      const { fields, ...file } = await formFile(request, { maxFileBytes: maxBytes, signal, fileField: 'file' }, take);
      requireNoFields(fields);
      return file;
    });
  }

  /** The file of a form, and the form's fields, which may come before and after the file. @throws AppError as `receive` does */
  async receiveForm(caller: Caller, request: FastifyRequest, { fileField = 'file', transform = (body) => body }: FormFileOptions = {}): Promise<{ upload: Upload; fields: FormFields }> {
    requirePlainBody(request);
    if (!request.isMultipart()) throw new AppError({ kind: 'unsupported_media', code: 'unsupported_media_type', message: `Send a form (multipart/form-data) with the file in the part named ${fileField}.` });
    let fields: FormFields = {};
    const upload = await this.receiving(caller, request, { isForm: true }, async (take, { signal, maxBytes }) => {
      const { fields: others, ...file } = await formFile(request, { maxFileBytes: maxBytes, signal, fileField }, (body) => take(transform(body)));
      fields = others;
      return file;
    });
    return { upload, fields };
  }

  /** A file that a body in another form had in it. @throws AppError as `receive` does */
  receiveBytes(caller: Caller, request: FastifyRequest, { pieces, fileName }: { pieces: readonly Uint8Array[]; fileName: string }): Promise<Upload> {
    return this.receiving(caller, request, { isForm: true, fileName }, async (take) => ({ put: await take(Readable.from(pieces)), fileName }));
  }

  /**
   * The body as it is, of whatever media type.
   * @param head bytes that are put before it, such as the header of samples without one
   * @throws AppError as `receive` does
   */
  receiveBody(caller: Caller, request: FastifyRequest, head: Uint8Array = new Uint8Array(0)): Promise<Upload> {
    requirePlainBody(request);
    if (request.headers['content-length'] === '0') throw emptyFile();
    return this.receiving(caller, request, { isForm: false, headBytes: head.byteLength }, async (take, { signal }) => ({ put: await take(following(head, untilAborted(request.raw, signal))), fileName: undefined }));
  }

  private async receiving(caller: Caller, request: FastifyRequest, { isForm, fileName: statedName, digest, headBytes = 0 }: Announced, read: ReadFile): Promise<Upload> {
    const { accountId, projectId } = caller;
    const maxBytes = await this.maxBytes(accountId);
    const declared = request.headers['content-length'];
    const expectedBytes = declared === undefined ? 0 : Number(declared) + headBytes;
    if (expectedBytes > maxBytes + (isForm ? FORM_OVERHEAD_BYTES : 0)) throw fileTooLarge(maxBytes);
    const hold = await this.storage.hold(accountId, expectedBytes);
    const watch = this.watches.start(request, credentialOf(caller), maxBytes);
    let begun: Upload | undefined;
    try {
      const upload = (begun = await this.records.begin(accountId, { ...(projectId !== undefined && { projectId }), ...(statedName !== undefined && { fileName: statedName }), ...(!isForm && declared !== undefined && { sizeBytes: expectedBytes }) }));
      const take: Take = (body) => this.store(upload, charged(body, hold), { maxBytes, expectedBytes, signal: watch.signal, digest });
      const { put, fileName } = await read(take, { signal: watch.signal, maxBytes });
      const completed = await this.records.complete(upload.id, put, statedName ?? fileName);
      hold.keep(put.sizeBytes);
      return completed;
    } catch (error) {
      if (begun) await this.records.discard(begun.id);
      throw isFileTooLarge(error) ? fileTooLarge(maxBytes) : error;
    } finally {
      watch.stop();
      hold.release();
    }
  }

  /** The most bytes that a file of the account may have. */
  async maxBytes(accountId: string): Promise<number> {
    return (await this.plans.of(accountId)).limits.mediaBytes ?? this.uploads.limits.maxBytes;
  }

  private async store(upload: Upload, body: AsyncIterable<Uint8Array>, { digest, ...options }: { maxBytes: number; expectedBytes: number; signal: AbortSignal; digest: string | undefined }): Promise<PutResult> {
    let receivedBytes = 0;
    const { records } = this;
    const renewal = setInterval(() => void records.renew(upload.id, receivedBytes).catch(() => undefined), RENEW_EVERY_MS);
    async function* counted() {
      for await (const bytes of notEmpty(body)) {
        receivedBytes += bytes.length;
        yield bytes;
      }
      // It may have been deleted, or given up for abandoned: the store keeps what was read to its end.
      await records.renew(upload.id, receivedBytes);
    }
    try {
      const put = await this.media.put(uploadKey(upload), counted(), options);
      if (digest !== undefined && put.sha256 !== digest) throw new AppError({ kind: 'invalid', code: 'digest_mismatch', message: 'The SHA-256 digest of the bytes that arrived is not the one that the request stated.' });
      return put;
    } finally {
      clearInterval(renewal);
    }
  }
}

/** Without a body there is no head either: the file is empty. */
async function* following(head: Uint8Array, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  for await (const bytes of body) {
    if (isFirst && head.byteLength > 0) yield head;
    isFirst = false;
    yield bytes;
  }
}

/** @throws AppError when the form has no file */
async function formFile(request: FastifyRequest, options: { maxFileBytes: number; signal: AbortSignal; fileField: string }, take: Take): Promise<ReceivedFile & { fields: FormFields }> {
  const { fileField } = options;
  let received: ReceivedFile | undefined;
  const fields = await readForm(request, options, async ({ body, fileName }) => {
    received = { put: await take(body), fileName };
  });
  if (Object.hasOwn(fields, fileField)) throw invalidFields([{ pointer: `/${fileField}`, code: 'invalid_type', detail: 'This part has no file name, so it is not a file.' }]);
  if (!received) throw invalidFields([{ pointer: `/${fileField}`, code: 'required', detail: 'A file is required.' }]);
  return { ...received, fields };
}

function requireNoFields(fields: FormFields): void {
  const names = Object.keys(fields);
  if (names.length > 0) throw invalidFields(names.map((name) => ({ pointer: `/${name}`, code: 'unknown_field', detail: 'The form of an upload has a file and nothing else. Options belong to the job that is created from it.' })));
}

/** The fields of a form have a bound of their own, payload_too_large. */
function isFileTooLarge(thrown: unknown): boolean {
  const { kind, code } = toAppError(thrown);
  return kind === 'too_large' && code !== 'payload_too_large';
}
