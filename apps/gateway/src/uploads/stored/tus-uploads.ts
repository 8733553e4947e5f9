import { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { AppError, notFound, type IdGenerator } from '@parlance/platform';
import { ID_GENERATOR, MEDIA_STORE } from '@parlance/runtime';
import type { MediaStore } from '@parlance/storage';
import { Server } from '@tus/server';
import type { FastifyRequest } from 'fastify';
import { requirePlainBody } from '../../http/request-input.js';
import { credentialOf, type Caller } from '../../keys/authenticator.js';
import { emptyFile } from '../empty-file.js';
import { RequestWatches } from '../request-watches.js';
import { StorageQuota, UNBOUNDED } from '../storage-quota.js';
import { untilAborted } from '../until-aborted.js';
import { fileTooLarge } from '../upload-store.js';
import { UploadChecksum } from './upload-checksum.js';
import { UploadIntake } from './upload-intake.js';
import { UploadLocks } from './upload-locks.js';
import { UploadRecords } from './upload-records.js';
import { TUS_VERSION } from './tus-capabilities.js';
import { TusStore } from './tus-store.js';
import type { Upload } from './upload.js';

const PIECE_TYPE = 'application/offset+octet-stream';
/** Milliseconds for which a request may continue when a later one wants its upload: its connection is most likely dead. */
const DRAIN_MS = 50;

interface TusAnswer {
  status: number;
  headers: Record<string, string>;
  upload: Upload;
}

/** True when the request speaks the tus protocol. */
export const isTusRequest = ({ headers }: FastifyRequest): boolean => headers['tus-resumable'] !== undefined;

/**
 * Resumable uploads by the tus protocol, version 1.0 (https://tus.io/protocols/resumable-upload). The protocol is that of
 * @tus/server; errors, checksums and expiry are ours.
 */
@Injectable()
export class TusUploads {
  constructor(
    @Inject(UploadRecords) private readonly records: UploadRecords,
    @Inject(UploadLocks) private readonly locks: UploadLocks,
    @Inject(UploadIntake) private readonly intake: Pick<UploadIntake, 'maxBytes'>,
    @Inject(MEDIA_STORE) private readonly media: MediaStore,
    @Inject(StorageQuota) private readonly storage: Pick<StorageQuota, 'hold'>,
    @Inject(RequestWatches) private readonly watches: RequestWatches,
    @Inject(ID_GENERATOR) private readonly ids: IdGenerator,
  ) {}

  /** Begins an upload, with its first bytes if there are any. @throws AppError media_empty, media_too_large, storage_quota_exhausted, too_many_uploads and as by `continue` */
  async create(caller: Caller, request: FastifyRequest): Promise<TusAnswer> {
    requireVersion(request);
    const maxBytes = await this.intake.maxBytes(caller.accountId);
    const length = Number(request.headers['upload-length'] ?? NaN);
    if (length === 0) throw emptyFile();
    if (length > maxBytes) throw fileTooLarge(maxBytes);
    // It is only looked whether there is room: nothing is set aside for bytes that may never come.
    if (length > 0) (await this.storage.hold(caller.accountId, length)).release();
    return this.answer(caller, request, this.ids.next('upl'), 'POST');
  }

  /** Returns how many bytes are durable, or appends further ones. @throws AppError not_found, upload_offset_mismatch, checksum_mismatch, media_too_large, storage_quota_exhausted, storage_full, request_timeout, malformed_request */
  async continue(caller: Caller, request: FastifyRequest, id: string, method: 'HEAD' | 'PATCH'): Promise<TusAnswer> {
    const { directPartBytes } = await this.records.get(caller.accountId, id);
    if (directPartBytes !== undefined) throw new AppError({ kind: 'conflict', code: 'invalid_state', message: 'The parts of this upload are sent to the URLs that it was created with.' });
    requireVersion(request);
    if (method === 'PATCH' && request.headers['content-type'] !== PIECE_TYPE) throw new AppError({ kind: 'unsupported_media', code: 'unsupported_media_type', message: `Bytes of an upload have the media type ${PIECE_TYPE}.` });
    return this.answer(caller, request, id, method);
  }

  private async answer(caller: Caller, request: FastifyRequest, id: string, method: string): Promise<TusAnswer> {
    const { accountId, projectId } = caller;
    requirePlainBody(request);
    const checksum = UploadChecksum.parse(header(request, 'upload-checksum'));
    // A client asks how far its upload is also when nothing more can be stored.
    const hold = method === 'HEAD' ? UNBOUNDED : await this.storage.hold(accountId, Number(request.headers['content-length'] ?? 0));
    const watch = this.watches.start(request, credentialOf(caller));
    try {
      const server = new Server({
        path: '/api/v1/uploads',
        datastore: new TusStore(this.records, this.media, this.locks, { accountId, projectId, checksum, hold }),
        locker: this.locks,
        lockDrainTimeout: DRAIN_MS,
        namingFunction: () => id,
        getFileIdFromRequest: () => id,
        generateUrl: () => `/api/v1/uploads/${id}`,
        // An error of ours stays one; the server's own are answers.
        onResponseError: (_request, error) => (error instanceof AppError ? Promise.reject(error) : undefined),
      });
      const answer = await server.handleWeb(webRequest(request, method, watch.signal));
      // The protocol's server knows neither why a body ended nor that a client may try again.
      if (answer.status >= 400 && watch.signal.aborted) throw watch.signal.reason;
      if (answer.status >= 400) throw problemOf(answer.status, await answer.text());
      const upload = await this.records.get(accountId, id);
      hold.keep(upload.receivedBytes - Number(header(request, 'upload-offset') ?? (method === 'HEAD' ? upload.receivedBytes : 0)));
      return { status: answer.status, headers: { ...tusHeaders(answer), ...expiryOf(upload) }, upload };
    } finally {
      watch.stop();
      hold.release();
    }
  }
}

function requireVersion(request: FastifyRequest): void {
  if (header(request, 'tus-resumable') !== TUS_VERSION) throw new AppError({ kind: 'invalid', code: 'protocol_version', message: `The server supports version ${TUS_VERSION} of the tus protocol.` });
}

const header = ({ headers }: FastifyRequest, name: string): string | undefined => [headers[name]].flat().at(0);

const FORWARDED = ['tus-resumable', 'upload-length', 'upload-offset', 'upload-defer-length', 'upload-metadata', 'upload-concat', 'content-type', 'content-length'];

/** The parts of the request that the protocol is about; its body ends when the signal is aborted. */
function webRequest(request: FastifyRequest, method: string, signal: AbortSignal): Request {
  const headers = FORWARDED.flatMap((name): [string, string][] => {
    const value = header(request, name);
    return value === undefined ? [] : [[name, value]];
  });
  const init: RequestInit & { duplex: 'half' } = { method, headers, duplex: 'half' };
  if (method !== 'HEAD') init.body = Readable.toWeb(Readable.from(untilAborted(request.raw, signal), { objectMode: false })) as unknown as NonNullable<RequestInit['body']>;
  return new Request(`http://uploads.invalid${request.url}`, init);
}

const ANSWERED = ['tus-resumable', 'upload-offset', 'upload-length', 'upload-metadata', 'cache-control', 'location'];

const tusHeaders = ({ headers }: Response): Record<string, string> => Object.fromEntries(ANSWERED.flatMap((name) => (headers.has(name) ? [[name, headers.get(name) ?? '']] : [])));

/** Only of an upload that is not complete (extension "expiration"). */
const expiryOf = ({ status, expiresAt }: Upload): Record<string, string> => (status === 'completed' ? {} : { 'upload-expires': new Date(expiresAt).toUTCString() });

/** An answer of the protocol's server as a problem of ours. */
function problemOf(status: number, text: string): AppError {
  const message = `${text.trim().replace(/\.$/, '')}.`;
  if (status === 404 || status === 410) return notFound('The upload');
  if (status === 409) return new AppError({ kind: 'conflict', code: 'upload_offset_mismatch', message: 'Upload-Offset is not the number of bytes that the server has.' });
  if (status === 413) return new AppError({ kind: 'too_large', code: 'media_too_large', message: 'The upload has more bytes than Upload-Length stated.' });
  if (status === 501) return new AppError({ kind: 'invalid', code: 'not_supported', message });
  if (status < 500) return new AppError({ kind: 'invalid', code: 'malformed_request', message });
  return new AppError({ kind: 'internal', code: 'internal', message: 'An internal error occurred.', cause: new Error(text) });
}
