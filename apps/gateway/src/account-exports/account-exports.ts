import { Inject, Injectable } from '@nestjs/common';
import { notFound, type Clock, type IdGenerator } from '@parlance/platform';
import { CLOCK, CONFIG, DOCUMENTS, ID_GENERATOR } from '@parlance/runtime';
import type { DocumentCollection, DocumentDatabase } from '@parlance/storage';
import type { GatewayConfig } from '../gateway.config.js';
import { accountExportCollection, exportRunning, newExport, type AccountExport, type ExportPosition } from './account-export.js';
import { ExportArchiveStore } from './export-archive-store.js';

const HOUR_MS = 60 * 60 * 1000;

interface MadePart {
  position: ExportPosition | undefined;
  files: number;
  sizeBytes: number;
}

/** The exports of accounts, one at a time for each. */
@Injectable()
export class AccountExports {
  private readonly collection: DocumentCollection<AccountExport>;

  constructor(
    @Inject(DOCUMENTS) documents: Pick<DocumentDatabase, 'collection'>,
    @Inject(ExportArchiveStore) private readonly archives: Pick<ExportArchiveStore, 'remove'>,
    @Inject(CONFIG) private readonly config: Pick<GatewayConfig, 'ACCOUNT_EXPORT_HOURS'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(ID_GENERATOR) private readonly ids: IdGenerator,
  ) {
    this.collection = documents.collection(accountExportCollection);
  }

  /** Takes the place of one that has ended. @throws AppError invalid_state while one is made */
  async create(accountId: string, hasMedia: boolean): Promise<AccountExport> {
    const before = (await this.collection.get(accountId))?.document;
    if (before && before.status !== 'processing') await this.remove(before);
    const order = newExport(accountId, this.ids.next('exp'), hasMedia, this.clock.now());
    if (!(await this.collection.insertIfAbsent(order))) throw exportRunning();
    return order;
  }

  /** @throws AppError not_found */
  async get(accountId: string): Promise<AccountExport> {
    const found = (await this.collection.get(accountId))?.document;
    if (!found) throw notFound('The export');
    return found;
  }

  async find(accountId: string, exportId: string): Promise<AccountExport | undefined> {
    const found = (await this.collection.get(accountId))?.document;
    return found?.exportId === exportId ? found : undefined;
  }

  async *processing(): AsyncGenerator<AccountExport> {
    for await (const { document } of this.collection.all()) if (document.status === 'processing') yield document;
  }

  /** @returns false when it was removed meanwhile */
  partMade({ id, exportId, parts }: AccountExport, { position, files, sizeBytes }: MadePart): Promise<boolean> {
    return this.change({ id, exportId }, ({ position: _before, ...current }) =>
      current.parts === parts ? { ...current, ...(position && { position }), parts: parts + 1, files: current.files + files, sizeBytes: current.sizeBytes + sizeBytes } : undefined,
    );
  }

  /** @returns false when it was removed meanwhile */
  completed(order: AccountExport, { sizeBytes, sha256 }: { sizeBytes: number; sha256: string }): Promise<boolean> {
    return this.change(order, (current) => ({ ...current, status: 'completed', files: current.files + 1, sizeBytes, sha256, completedAt: this.after(0), expiresAt: this.after(this.config.ACCOUNT_EXPORT_HOURS * HOUR_MS) }));
  }

  async failed(order: AccountExport): Promise<void> {
    await this.change(order, ({ position: _position, ...current }) => ({ ...current, status: 'failed', completedAt: this.after(0), expiresAt: this.after(this.config.ACCOUNT_EXPORT_HOURS * HOUR_MS) }));
  }

  /** The record last: a removal that is cut off is done again by the sweep, as it has ended then. The worker of one that is made finds that it is gone. */
  async remove(order: AccountExport): Promise<void> {
    await this.change(order, ({ position: _position, ...current }) => ({ ...current, status: 'failed', expiresAt: this.after(0) }));
    await this.removeReplaced(order);
    await this.archives.remove(order);
    const stored = await this.collection.get(order.id);
    if (stored?.document.exportId === order.exportId) await this.collection.remove(order.id, stored.version);
  }

  /** Removes the export of an account that is erased, with its archive and the key of that. */
  async removeOf(accountId: string): Promise<void> {
    const stored = await this.collection.get(accountId);
    if (stored) await this.remove(stored.document);
  }

  /** Removes the archives of the exports whose place it took. */
  async removeReplaced(order: AccountExport): Promise<void> {
    if (!order.replaces) return;
    for (const exportId of order.replaces) await this.archives.remove({ id: order.id, exportId });
    await this.change(order, ({ replaces: _removed, ...current }) => current);
  }

  async sweep(): Promise<void> {
    const range = { field: 'expiresAt', lt: this.after(0) };
    for await (const { document } of this.collection.all({ range, orderBy: 'expiresAt', direction: 'ascending' })) await this.remove(document);
  }

  private async change({ id, exportId }: Pick<AccountExport, 'id' | 'exportId'>, change: (current: AccountExport) => AccountExport | undefined): Promise<boolean> {
    const { changed } = await this.collection.update(id, (current) => {
      const document = current?.exportId === exportId ? change(current) : undefined;
      return document && { document };
    });
    return changed;
  }

  private after(ms: number): string {
    return new Date(this.clock.now().getTime() + ms).toISOString();
  }
}
