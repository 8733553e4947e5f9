import { Inject, Injectable } from '@nestjs/common';
import type { Clock, Logger } from '@parlance/platform';
import { CLOCK, LOGGER, TASK_QUEUE } from '@parlance/runtime';
import type { Again, Task, TaskContext, TaskQueue, TaskWorker } from '@parlance/task-queue';
import type { AccountExport } from './account-export.js';
import { AccountExports } from './account-exports.js';
import { ExportArchiveStore } from './export-archive-store.js';
import { ExportSections } from './export-sections.js';
import { zipFile, type ZipEntry } from './zip64.js';

const QUEUE = 'account-exports';
const RETRY = { maxAttempts: 10, initialDelayMs: 1000, maxDelayMs: 60_000 };
const DEADLINE_MS = 24 * 60 * 60_000;

interface PartLimits {
  /** Bytes after which a part ends with the item that it is at. */
  bytes: number;
  /** Files after which it does. */
  files: number;
}

const PART_LIMITS: PartLimits = { bytes: 64 * 1024 * 1024, files: 5000 };

/** Makes exports part by part. Killed at any point, the next try makes the part again that was not stored whole. */
@Injectable()
export class ExportWorker {
  constructor(
    @Inject(AccountExports) private readonly exports: AccountExports,
    @Inject(ExportSections) private readonly sections: ExportSections,
    @Inject(ExportArchiveStore) private readonly archives: ExportArchiveStore,
    @Inject(TASK_QUEUE) private readonly tasks: Pick<TaskQueue, 'add'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** Resolves once the work is durably ordered. */
  async order({ id: accountId, exportId }: Pick<AccountExport, 'id' | 'exportId'>): Promise<void> {
    await this.tasks.add(QUEUE, [{ id: exportId, accountId, payload: null }]);
  }

  /** Removes what expired, and orders what has no task. */
  async sweep(): Promise<void> {
    await this.exports.sweep();
    for await (const order of this.exports.processing()) await this.order(order);
  }

  worker(limits = PART_LIMITS): TaskWorker {
    return { queue: QUEUE, capacity: 1, deadlineMs: DEADLINE_MS, retry: RETRY, maxTakeOvers: Infinity, perform: (task, context) => this.perform(task, context, limits), giveUp: (task, error) => this.giveUp(task, error) };
  }

  private async perform({ id: exportId, accountId }: Task, context: TaskContext, limits: PartLimits): Promise<Again | void> {
    const order = await this.exports.find(accountId, exportId);
    if (!order) return this.archives.remove({ id: accountId, exportId });
    if (order.status !== 'processing') return this.archives.removeParts(order);
    if (order.replaces) await this.exports.removeReplaced(order);
    const isKept = order.position ? await this.makePart(order, order.position, limits, context) : await this.join(order, context.signal);
    if (!isKept) return this.archives.remove(order);
    // Other accounts have a turn between two parts.
    return { again: this.clock.now(), hasProgressed: true };
  }

  /** @returns false when the export was removed meanwhile */
  private async makePart(order: AccountExport, start: NonNullable<AccountExport['position']>, limits: PartLimits, { signal, draining }: Pick<TaskContext, 'signal' | 'draining'>): Promise<boolean> {
    const { sections } = this;
    const files: ZipEntry[] = [];
    const date = new Date(order.createdAt);
    let position: AccountExport['position'] = start;
    async function* bytes(): AsyncGenerator<Uint8Array> {
      let offset = 0;
      while (position && offset < limits.bytes && files.length < limits.files && !(draining.aborted && offset > 0)) {
        signal.throwIfAborted();
        const { files: next, next: after } = await sections.step(order, position);
        for await (const file of next) {
          for await (const piece of zipFile(file, offset, date, (entry) => files.push(entry))) {
            offset += piece.length;
            yield piece;
          }
        }
        position = after;
      }
    }
    const sizeBytes = await this.archives.putPart(order, order.parts + 1, bytes(), files, signal);
    return this.exports.partMade(order, { position, files: files.length, sizeBytes });
  }

  private async join(order: AccountExport, signal: AbortSignal): Promise<boolean> {
    const { sizeBytes, sha256 } = await this.archives.putArchive(order, this.clock.now(), signal);
    this.log.info({ account_id: order.id, export_id: order.exportId, bytes: sizeBytes }, 'account exported');
    return this.exports.completed(order, { sizeBytes, sha256 });
  }

  private async giveUp({ id: exportId, accountId }: Task, error: unknown): Promise<'settled'> {
    this.log.error({ err: error, account_id: accountId, export_id: exportId }, 'an account could not be exported');
    const order = await this.exports.find(accountId, exportId);
    if (order) await this.exports.failed(order);
    await this.archives.remove({ id: accountId, exportId });
    return 'settled';
  }
}
