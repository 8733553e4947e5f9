import { Inject, Injectable } from '@nestjs/common';
import { mediaKeys } from '@parlance/contracts';
import { AppError, notFound, type Clock, type IdGenerator, type Logger } from '@parlance/platform';
import { CLOCK, CONFIG, DATA_KEYS, DOCUMENTS, ID_GENERATOR, LOGGER, MEDIA_STORE } from '@parlance/runtime';
import type { DataKeys, DocumentCollection, DocumentDatabase, MediaStore, PartialObject, PutResult } from '@parlance/storage';
import type { AccountLimit } from '../../accounts/account-limit.js';
import type { GatewayConfig } from '../../gateway.config.js';
import { uploadCollection, type Upload } from './upload.js';

/** Milliseconds after which an upload in one request counts as abandoned by its process, unless that process renews it. */
const LEASE_MS = 60_000;
/** A removal that a killed process began is tried again after as long. */
const REMOVAL_MS = 600_000;
const HOUR_MS = 3_600_000;
const SWEEP_BATCH = 100;

const MAX_UNFINISHED = 1000;

/** The process that had it may still be storing a part under the next number. */
const takenOver = ({ partial, writer }: Upload): PartialObject => ({ ...(partial as PartialObject), nextPart: (partial?.nextPart ?? 1) + (writer === undefined ? 0 : 1) });

/** The key of the upload's file in the media store. */
export const uploadKey = ({ accountId, id }: Pick<Upload, 'accountId' | 'id'>): string => mediaKeys(accountId, id).source;

/** Uploads and what is known about them. An upload of another account is not found. */
@Injectable()
export class UploadRecords {
  private readonly collection: DocumentCollection<Upload>;
  private readonly keptMs: number;

  constructor(
    @Inject(DOCUMENTS) documents: DocumentDatabase,
    @Inject(MEDIA_STORE) private readonly media: Pick<MediaStore, 'begin' | 'direct' | 'finish' | 'removePrefix'>,
    @Inject(DATA_KEYS) private readonly keys: Pick<DataKeys, 'destroy'> | null,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(ID_GENERATOR) private readonly ids: IdGenerator,
    @Inject(CONFIG) config: Pick<GatewayConfig, 'UPLOAD_EXPIRY_HOURS'>,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    this.collection = documents.collection(uploadCollection);
    this.keptMs = config.UPLOAD_EXPIRY_HOURS * HOUR_MS;
  }

  /** An upload that this process receives in one request, and renews until its end. */
  async begin(accountId: string, about: Pick<Upload, 'fileName' | 'sizeBytes' | 'projectId'>): Promise<Upload> {
    const document: Upload = { id: this.ids.next('upl'), createdAt: this.after(0), accountId, status: 'uploading', receivedBytes: 0, expiresAt: this.after(LEASE_MS), ...about };
    return (await this.collection.insert(document)).document;
  }

  /** An upload that arrives in several requests. @throws AppError too_many_uploads, storage_full */
  async beginResumable(accountId: string, id: string, { sizeBytes, ...about }: Pick<Upload, 'fileName' | 'tusMetadata' | 'writer' | 'directPartBytes' | 'projectId'> & { sizeBytes: number }): Promise<Upload> {
    const { used, limit } = await this.limitOf(accountId);
    if (used >= limit) throw new AppError({ kind: 'conflict', code: 'too_many_uploads', message: `An account can have at most ${MAX_UNFINISHED} unfinished uploads.` });
    // The record comes first, so that a sweep finds what a killed process has begun in the media store.
    await this.collection.insert({ id, createdAt: this.after(0), accountId, status: 'uploading', receivedBytes: 0, expiresAt: this.after(LEASE_MS), sizeBytes, ...about });
    try {
      const key = uploadKey({ accountId, id });
      const partial = await (about.directPartBytes !== undefined && this.media.direct ? this.media.direct.begin(key) : this.media.begin(key, sizeBytes));
      return await this.change(id, (upload) => ({ ...upload, partial, expiresAt: this.after(this.keptMs) }));
    } catch (error) {
      await this.discard(id);
      throw error;
    }
  }

  /** The number of unfinished uploads. */
  async limitOf(accountId: string): Promise<AccountLimit> {
    return { used: await this.collection.count({ accountId, status: 'uploading' }), limit: MAX_UNFINISHED };
  }

  /** Makes the request the only one that may change the upload. An upload that does not exist yet cannot be claimed, which is no error. */
  async claim(id: string, writer: string): Promise<void> {
    await this.collection.update(id, (upload) => (upload?.partial ? { document: { ...upload, writer, partial: takenOver(upload), expiresAt: this.after(this.keptMs) } } : undefined));
  }

  async release(id: string, writer: string): Promise<void> {
    await this.collection.update(id, (upload) => {
      if (upload?.writer !== writer) return undefined;
      const { writer: _, ...released } = upload;
      return { document: released };
    });
  }

  /** Keeps what is durable. @throws AppError service_unavailable when another request has claimed the upload, or it was deleted */
  async keep(id: string, writer: string, partial: PartialObject): Promise<void> {
    const { changed } = await this.collection.update(id, (upload) =>
      upload?.writer === writer && upload.status === 'uploading' ? { document: { ...upload, partial, receivedBytes: partial.sizeBytes, expiresAt: this.after(this.keptMs) } } : undefined,
    );
    if (!changed) throw new AppError({ kind: 'unavailable', code: 'service_unavailable', message: 'Another request continues this upload, or it was deleted.' });
  }

  /** Completes an upload of which all bytes have arrived; of another one, nothing happens. @throws AppError not_found when it was deleted meanwhile */
  async settle(upload: Upload): Promise<Upload> {
    const { partial } = upload;
    if (upload.status !== 'uploading' || !partial || partial.sizeBytes !== upload.sizeBytes) return upload;
    await this.media.finish(partial);
    const { stored } = await this.collection.update(upload.id, (current) => {
      if (current?.status !== 'uploading') return undefined;
      const { partial: _, writer: __, directPartBytes: ___, ...rest } = current;
      return { document: { ...rest, status: 'completed', receivedBytes: partial.sizeBytes, completedAt: this.after(0), expiresAt: this.after(this.keptMs) } };
    });
    if (stored?.document.status !== 'completed') throw notFound('The upload');
    return stored.document;
  }

  /** Bytes of the account that have arrived of uploads which are not complete and no request's any more. */
  async unfinishedBytes(accountId: string): Promise<number> {
    let bytes = 0;
    for await (const { document } of this.collection.all({ where: { accountId, status: 'uploading' } })) bytes += (document.directPartBytes === undefined ? document.partial?.sizeBytes : document.sizeBytes) ?? 0;
    return bytes;
  }

  /** @throws AppError not_found when it was deleted meanwhile, or given up for abandoned */
  renew(id: string, receivedBytes: number): Promise<Upload> {
    return this.change(id, (upload) => ({ ...upload, receivedBytes, expiresAt: this.after(LEASE_MS) }));
  }

  /** @throws AppError not_found when it was deleted meanwhile, or given up for abandoned */
  complete(id: string, { sizeBytes, sha256 }: PutResult, fileName: string | undefined): Promise<Upload> {
    const whole = { status: 'completed', sizeBytes, receivedBytes: sizeBytes, sha256, ...(fileName !== undefined && { fileName }) } as const;
    const now = this.clock.now();
    return this.change(id, (upload) => ({ ...upload, ...whole, completedAt: this.after(0, now), expiresAt: this.after(this.keptMs, now) }));
  }

  /** A job was created from it: it stays for as long as a new one. */
  async used(id: string): Promise<void> {
    await this.collection.update(id, (upload) => (upload?.status === 'completed' ? { document: { ...upload, expiresAt: this.after(this.keptMs) } } : undefined));
  }

  /** @throws AppError not_found */
  async get(accountId: string, id: string): Promise<Upload> {
    const upload = await this.find(accountId, id);
    if (!upload) throw notFound('The upload');
    return upload;
  }

  /** To create a job from. @param pointer to the field that names it. @throws AppError upload_not_found, upload_incomplete */
  async completed(accountId: string, id: string, pointer?: string): Promise<Upload & { sizeBytes: number }> {
    const found = await this.find(accountId, id);
    if (!found) throw uploadNotFound(pointer);
    const upload = await this.settle(found);
    const { status, sizeBytes } = upload;
    if (status !== 'completed' || sizeBytes === undefined) throw new AppError({ kind: 'conflict', code: 'upload_incomplete', message: 'Bytes of the upload are still missing.' });
    return { ...upload, sizeBytes };
  }

  /** Newest first. @throws AppError invalid_cursor */
  async list(accountId: string, { status, projectId, limit, cursor }: { status: Upload['status'] | undefined; projectId: string | undefined; limit: number; cursor: string | undefined }): Promise<{ uploads: Upload[]; nextCursor: string | null }> {
    const { items, nextCursor } = await this.collection.find({ where: { accountId, status, projectId }, limit, ...(cursor !== undefined && { cursor }) });
    return { uploads: items.map(({ document }) => document).filter((upload) => upload.status !== 'removing'), nextCursor };
  }

  /** Removes the upload and its file. Jobs that were created from it keep theirs. @throws AppError not_found */
  async remove(accountId: string, id: string): Promise<void> {
    await this.get(accountId, id);
    if (!(await this.removeIf(id, () => true))) throw notFound('The upload');
  }

  /** Removes all of the account, those that arrive included. */
  async removeAll(accountId: string): Promise<void> {
    for await (const { document } of this.collection.all({ where: { accountId } })) await this.removeIf(document.id, () => true);
    // A restored backup brings uploads back whose keys were destroyed: no read finds them.
    await this.collection.removeWhere({ accountId });
  }

  /** After a failure: whatever cannot be removed now is removed by a sweep. */
  async discard(id: string): Promise<void> {
    await this.removeIf(id, () => true).catch((error: unknown) => this.log.warn({ err: error, upload_id: id }, 'upload could not be removed; it will be tried again'));
  }

  /** Removes what expired, and what killed processes left. */
  async sweep(): Promise<void> {
    const now = this.after(0);
    const due = { range: { field: 'expiresAt', lt: now }, orderBy: 'expiresAt', direction: 'ascending', limit: SWEEP_BATCH } as const;
    for (;;) {
      const { items } = await this.collection.find(due);
      for (const { document } of items) await this.removeIf(document.id, ({ expiresAt }) => expiresAt < now);
      if (items.length < SWEEP_BATCH) return;
    }
  }

  /** First nothing finds it any more, then its key and its file go, then its record: the next sweep completes a removal that was interrupted. */
  private async removeIf(id: string, isDue: (upload: Upload) => boolean): Promise<boolean> {
    const { stored, changed } = await this.collection.update(id, (upload) => {
      if (!upload || !isDue(upload)) return undefined;
      // A sweep has to find the record once the key is destroyed, so that nothing of it may be sealed.
      const { fileName: _, tusMetadata: __, ...unsealed } = upload;
      return { document: { ...unsealed, status: 'removing', expiresAt: this.after(REMOVAL_MS) } };
    });
    if (!stored || !changed) return false;
    await this.keys?.destroy(stored.document.accountId, id);
    await this.media.removePrefix(mediaKeys(stored.document.accountId, id).all);
    await this.collection.remove(id);
    return true;
  }

  private async find(accountId: string, id: string): Promise<Upload | undefined> {
    const upload = (await this.collection.get(id))?.document;
    return upload?.accountId === accountId && upload.status !== 'removing' ? upload : undefined;
  }

  private async change(id: string, change: (upload: Upload) => Upload): Promise<Upload> {
    const { stored, changed } = await this.collection.update(id, (upload) => (upload?.status === 'uploading' ? { document: change(upload) } : undefined));
    if (!changed || !stored) throw notFound('The upload');
    return stored.document;
  }

  /** The time so many milliseconds after another, by default after now. */
  private after(ms: number, time = this.clock.now()): string {
    return new Date(time.getTime() + ms).toISOString();
  }
}

export const uploadNotFound = (pointer = '/upload_id'): AppError =>
  new AppError({ kind: 'invalid', code: 'upload_not_found', message: 'There is no such upload in this account.', fields: [{ pointer, code: 'upload_not_found', detail: 'There is no such upload in this account.' }] });
