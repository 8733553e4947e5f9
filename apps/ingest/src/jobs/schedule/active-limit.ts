import { Inject, Injectable } from '@nestjs/common';
import type { TranscriptService } from '@parlance/contracts';
import type { Clock, Logger } from '@parlance/platform';
import { CLOCK, CONFIG, DOCUMENTS, LOGGER, TRANSCRIPT_SERVICE } from '@parlance/runtime';
import type { DocumentCollection, DocumentDatabase } from '@parlance/storage';
import type { IngestConfig } from '../../ingest.config.js';
import { scheduleCollection, type Schedule } from './schedule.js';

/** Every account may have as many, however many accounts there are. */
const MIN_ACTIVE = 16;
/** However many chunks transcription says that it takes at once. */
const MAX_ACTIVE = 1000;
/** While one is transcribed, the next one is fetched and decoded. */
const JOBS_PER_CHUNK = 2;
/** Milliseconds for which a computed limit is used. */
const FRESH_MS = 5000;
const TIMEOUT_MS = 2000;

/**
 * Bounds the active jobs of an account. Without a setting, the active jobs of all accounts keep every transcription worker
 * busy, and the accounts that have any share them equally: an account that is alone has them all.
 */
@Injectable()
export class ActiveLimit {
  private readonly setting: number | undefined;
  private readonly schedules: DocumentCollection<Schedule>;
  /** The limit by the last answer of transcription. */
  private last = MIN_ACTIVE;
  private computed: { limit: Promise<number>; until: number } | undefined;

  constructor(
    @Inject(TRANSCRIPT_SERVICE) private readonly transcripts: Pick<TranscriptService, 'getCapacity'>,
    @Inject(DOCUMENTS) documents: Pick<DocumentDatabase, 'collection'>,
    @Inject(CONFIG) config: Pick<IngestConfig, 'JOBS_ACTIVE_PER_ACCOUNT'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    this.setting = config.JOBS_ACTIVE_PER_ACCOUNT;
    this.schedules = documents.collection(scheduleCollection);
  }

  async jobs(): Promise<number> {
    if (this.setting !== undefined) return this.setting;
    const now = this.clock.now().getTime();
    if (!this.computed || this.computed.until <= now) this.computed = { limit: this.compute(), until: now + FRESH_MS };
    return this.computed.limit;
  }

  private async compute(): Promise<number> {
    try {
      const { chunks } = await this.transcripts.getCapacity({}, { timeoutMs: TIMEOUT_MS });
      const accounts = Math.max(1, await this.schedules.count({ busy: true }));
      this.last = Math.min(MAX_ACTIVE, Math.max(MIN_ACTIVE, Math.ceil((JOBS_PER_CHUNK * chunks) / accounts)));
    } catch (error) {
      this.log.warn({ err: error, limit: this.last }, 'could not read the capacity of transcription: the limit of active jobs stays as it is');
    }
    return this.last;
  }
}
