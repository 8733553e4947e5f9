import { Inject, Injectable } from '@nestjs/common';
import type { events } from '@parlance/contracts';
import { AppError, limitReached, notFound, type Clock } from '@parlance/platform';
import { CLOCK, DOCUMENTS } from '@parlance/runtime';
import { jsonBytes, type DocumentCollection, type DocumentDatabase, type Page } from '@parlance/storage';
import type { AccountLimit } from '../accounts/account-limit.js';
import { batchCollection, batchItemCollection, ITEM_STATES, withoutJob, type Batch, type BatchItem, type ItemState } from './batch.js';

/** Items that are written, or read to be worked on, at once. */
const PAGE = 32;
/** Milliseconds after which a batch whose items were not all stored is abandoned: its process was killed, and its caller has no answer. */
const ABANDONED_MS = 24 * 60 * 60 * 1000;

const DAY_MS = 24 * 60 * 60 * 1000;
/** A batch is kept for at least so many milliseconds after its end, even when its jobs are deleted sooner. */
const KEPT_MS = 30 * DAY_MS;
/** Milliseconds between two looks at an ended batch that still has jobs. */
const SWEEP_AGAIN_MS = DAY_MS;

/** Bytes of the items of an account that have no job, and of the defaults of its batches. */
const MAX_BYTES = 128 * 1024 ** 2;

export type StateCounts = Record<ItemState, number>;

/** Batches and their items. A batch of another account is not found. */
@Injectable()
export class BatchRecords {
  private readonly batches: DocumentCollection<Batch>;
  private readonly items: DocumentCollection<BatchItem>;
  private areAllScheduled = false;

  constructor(
    @Inject(DOCUMENTS) documents: DocumentDatabase,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.batches = documents.collection(batchCollection);
    this.items = documents.collection(batchItemCollection);
  }

  /** Stores a batch with its items. Repeated after a crash, it completes what is there. @throws AppError invalid_state when the account has no room for it */
  async store(batch: Omit<Batch, 'createdAt' | 'state' | 'bytes'>, items: readonly Omit<BatchItem, 'createdAt'>[]): Promise<Batch> {
    const createdAt = this.now();
    const defaultsBytes = jsonBytes(batch.defaults ?? {});
    const isNew = await this.batches.insertIfAbsent({ ...batch, createdAt, state: 'receiving', bytes: items.reduce((sum, { bytes }) => sum + bytes, defaultsBytes) });
    if (isNew) {
      await this.requireRoom(batch.accountId).catch(async (error: unknown) => {
        await this.batches.remove(batch.id);
        throw error;
      });
    }
    for (let first = 0; first < items.length; first += PAGE) await this.insert(items.slice(first, first + PAGE).map((item) => ({ ...item, createdAt })));
    const { stored } = await this.batches.update(batch.id, (current) => (current?.state === 'receiving' ? { document: { ...current, state: 'processing', bytes: defaultsBytes } } : undefined));
    if (!stored) throw new AppError({ kind: 'unavailable', code: 'service_unavailable', message: 'The batch could not be stored. Send it again.' });
    return stored.document;
  }

  /** In bytes. Of requests at the same time, each counts for the others: all may be refused, but they never pass the limit together. */
  async limitOf(accountId: string): Promise<AccountLimit> {
    const [batches, items] = await Promise.all([this.batches.sum('bytes', { accountId }), this.items.sum('bytes', { accountId, hasJob: false })]);
    return { used: batches + items, limit: MAX_BYTES };
  }

  /** Batches that have ended make room where there is none, the oldest first: their refused items stay refused for ever. */
  private async requireRoom(accountId: string): Promise<void> {
    const hasRoom = async () => {
      const { used, limit } = await this.limitOf(accountId);
      return used <= limit;
    };
    if (await hasRoom()) return;
    for await (const { document, version } of this.batches.all({ where: { accountId, state: 'completed' }, direction: 'ascending' })) {
      if ((await this.items.count({ batchId: document.id, hasJob: false })) === 0) continue;
      await this.removeWithItems(document.id, version);
      if (await hasRoom()) return;
    }
    throw limitReached(`The items of the account's batches that wait for their jobs would take up more than ${MAX_BYTES} bytes. Send this batch when some of them have their jobs.`);
  }

  private async insert(items: readonly BatchItem[]): Promise<void> {
    const stored = await this.items.insertInOrder(items.map((document) => ({ document })));
    for (const item of items.slice(stored)) await this.items.insertIfAbsent(item);
  }

  /** @throws AppError not_found */
  async get(accountId: string, id: string): Promise<Batch> {
    const batch = await this.find(id);
    if (batch?.accountId !== accountId || batch.state === 'receiving') throw notFound('The batch');
    return batch;
  }

  /** A batch of any account; for work in the background. */
  async find(id: string): Promise<Batch | undefined> {
    return (await this.batches.get(id))?.document;
  }

  /** Newest first. @throws AppError invalid_cursor */
  async list(accountId: string, { projectId, limit, cursor }: { projectId: string | undefined; limit: number; cursor: string | undefined }): Promise<{ batches: Batch[]; nextCursor: string | null }> {
    const { items, nextCursor } = await this.batches.find({ where: { accountId, projectId }, limit, ...(cursor !== undefined && { cursor }) });
    return { batches: items.map(({ document }) => document).filter(({ state }) => state !== 'receiving'), nextCursor };
  }

  /** In the order of the request. @throws AppError invalid_cursor */
  itemsOf(batchId: string, { state, limit, cursor }: { state?: ItemState | undefined; limit: number; cursor?: string | undefined }): Promise<Page<BatchItem>> {
    return this.items.find({ where: { batchId, state }, orderBy: 'index', direction: 'ascending', limit, ...(cursor !== undefined && { cursor }) });
  }

  async pending(batchId: string): Promise<BatchItem[]> {
    return (await this.itemsOf(batchId, { state: 'pending', limit: PAGE })).items.map(({ document }) => document);
  }

  /** Pages of the open items, which may be changed on the way. */
  async *open(batchId: string): AsyncGenerator<BatchItem[]> {
    let after = -1;
    for (;;) {
      const { items } = await this.items.find({ where: { batchId, open: true }, range: { field: 'index', gte: after + 1 }, orderBy: 'index', direction: 'ascending', limit: PAGE });
      const page = items.map(({ document }) => document);
      if (page.length > 0) yield page;
      after = page.at(-1)?.index ?? after;
      if (page.length < PAGE) return;
    }
  }

  async counts(batchId: string): Promise<StateCounts> {
    const counts = await Promise.all(ITEM_STATES.map(async (state) => [state, await this.items.count({ batchId, state })] as const));
    return Object.fromEntries(counts) as StateCounts;
  }

  async itemOfJob(jobId: string): Promise<BatchItem | undefined> {
    return (await this.items.find({ where: { jobId }, limit: 1 })).items[0]?.document;
  }

  /** @param change undefined leaves the item as it is. @returns whether it was changed */
  async change(itemId: string, change: (item: BatchItem) => BatchItem | undefined): Promise<boolean> {
    const { changed } = await this.items.update(itemId, (item) => {
      const document = item && change(item);
      return document && { document };
    });
    return changed;
  }

  /** A batch that has ended is left as it is. @throws AppError not_found */
  async cancel(accountId: string, id: string): Promise<Batch> {
    await this.get(accountId, id);
    const { stored } = await this.batches.update(id, (batch) => (batch?.state === 'processing' && batch.canceledAt === undefined ? { document: { ...batch, canceledAt: this.now() } } : undefined));
    if (!stored) throw notFound('The batch');
    return stored.document;
  }

  /** Every batch that has not ended. */
  async *processing(): AsyncGenerator<Batch> {
    for await (const { document } of this.batches.all({ where: { state: 'processing' }, direction: 'ascending' })) yield document;
  }

  async hasPending(batchId: string): Promise<boolean> {
    return (await this.itemsOf(batchId, { state: 'pending', limit: 1 })).items.length > 0;
  }

  /** For a batch none of whose items is pending: the defaults came from the caller, and are not needed any more. */
  async dropDefaults(id: string): Promise<void> {
    await this.batches.update(id, (batch) => (batch?.defaults ? { document: withoutDefaults(batch) } : undefined));
  }

  /** Ends the batch, with its event, when none of its items is open any more. */
  async settle(id: string): Promise<void> {
    if ((await this.items.count({ batchId: id, open: true })) > 0) return;
    const counts = await this.counts(id);
    await this.batches.update(id, (batch) => {
      if (batch?.state !== 'processing') return undefined;
      const ended: Batch = { ...withoutDefaults(batch), state: 'completed', completedAt: this.now(), sweepAfter: this.after(KEPT_MS) };
      return { document: ended, events: [{ type: 'batch.completed', data: completedEvent(ended, counts) }] };
    });
  }

  /** Counts the items that hold something about the job. */
  async countOf(jobId: string): Promise<number> {
    const item = await this.itemOfJob(jobId);
    return item && item.state !== 'deleted' ? 1 : 0;
  }

  /** The job was deleted: its item says so, and keeps nothing else that came from the caller. */
  async eraseJob(jobId: string): Promise<void> {
    const item = await this.itemOfJob(jobId);
    if (!item) return;
    await this.change(item.id, (current) => (current.state === 'deleted' ? undefined : withoutJob(current)));
    await this.settle(item.batchId);
  }

  /** Removes the items of the account's batches; these stay. */
  async removeItemsOf(accountId: string): Promise<void> {
    for await (const { document } of this.batches.all({ where: { accountId } })) await this.items.removeWhere({ batchId: document.id });
  }

  /** Removes batches that are not needed any more, and those of killed requests that were never repeated. */
  async sweep(): Promise<void> {
    await this.scheduleSweeps();
    await this.sweepEnded();
    const range = { field: 'createdAt', lt: this.after(-ABANDONED_MS) };
    for await (const { document, version } of this.batches.all({ where: { state: 'receiving' }, range, direction: 'ascending' })) {
      await this.removeWithItems(document.id, version);
    }
  }

  /** Schedules the removal of batches that ended under an earlier version, which kept them for ever. One pass without a failure is enough for the life of a process. */
  private async scheduleSweeps(): Promise<void> {
    if (this.areAllScheduled) return;
    for await (const { document, version } of this.batches.all({ where: { state: 'completed' } })) {
      if (document.sweepAfter === undefined) await this.batches.replaceIf({ ...document, sweepAfter: sweepTimeOf(document) }, version);
    }
    this.areAllScheduled = true;
  }

  /** A batch is kept for as long as one of its jobs, and for a month at least. */
  private async sweepEnded(): Promise<void> {
    const due = { range: { field: 'sweepAfter', lt: this.now() }, orderBy: 'sweepAfter', direction: 'ascending' } as const;
    for await (const { document, version } of this.batches.all({ where: { state: 'completed' }, ...due })) {
      if (await this.hasJobs(document.id)) await this.batches.replaceIf({ ...document, sweepAfter: this.after(SWEEP_AGAIN_MS) }, version);
      else await this.removeWithItems(document.id, version);
    }
  }

  private async hasJobs(batchId: string): Promise<boolean> {
    const created = await this.items.count({ batchId, hasJob: true });
    return created > (await this.items.count({ batchId, state: 'deleted' }));
  }

  private async removeWithItems(id: string, version: number): Promise<void> {
    await this.items.removeWhere({ batchId: id });
    await this.batches.remove(id, version).catch(() => undefined);
  }

  private now(): string {
    return this.after(0);
  }

  /** The time in so many milliseconds. */
  private after(ms: number): string {
    return new Date(this.clock.now().getTime() + ms).toISOString();
  }
}

const sweepTimeOf = ({ createdAt, completedAt = createdAt }: Batch): string => new Date(Date.parse(completedAt) + KEPT_MS).toISOString();

const withoutDefaults = ({ defaults: _defaults, ...batch }: Batch): Batch => ({ ...batch, bytes: 0 });

function completedEvent({ id, accountId, projectId, total, canceledAt, callbackUrl, createdAt, completedAt = createdAt }: Batch, counts: StateCounts): events.BatchCompleted {
  const { completed, failed, canceled, refused, deleted } = counts;
  return {
    batchId: id,
    accountId,
    projectId,
    canceled: canceledAt !== undefined,
    callbackUrl,
    counts: { total, completed, failed, canceled, refused, deleted },
    createdAt: new Date(createdAt),
    completedAt: new Date(completedAt),
  };
}
