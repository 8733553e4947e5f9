import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '@parlance/platform';
import { CLOCK, CONFIG } from '@parlance/runtime';
import type { JobRef } from '@parlance/stage';
import type { IngestConfig } from '../../ingest.config.js';
import { appendErasure } from './erasure-lines.js';
import { ErasureStore } from './erasure-store.js';
import { DATA_KEY } from './erasure.js';

/** Reports the erasures of ingest: in the operator's log, and on their receipts. */
@Injectable()
export class ErasureReports {
  constructor(
    @Inject(ErasureStore) private readonly erasures: ErasureStore,
    @Inject(CONFIG) private readonly config: Pick<IngestConfig, 'ERASURE_LOG'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async keyDestroyed(erasureId: string | undefined): Promise<void> {
    if (erasureId !== undefined) await this.erasures.report(erasureId, { what: DATA_KEY, where: 'ingest', when: this.clock.now().toISOString(), count: 1 });
  }

  /** @param count files that were removed */
  async mediaErased({ jobId, accountId }: JobRef, erasureId: string | undefined, count: number): Promise<void> {
    const erasedAt = this.clock.now().toISOString();
    // Before the report: an erasure that is reported as complete can be replayed after a restore.
    if (this.config.ERASURE_LOG !== undefined) await appendErasure(this.config.ERASURE_LOG, { jobId, accountId, erasedAt });
    if (erasureId !== undefined) await this.erasures.report(erasureId, { what: 'media', where: 'ingest', when: erasedAt, count });
  }
}
