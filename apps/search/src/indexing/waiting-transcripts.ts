import type { GrowingPauses } from './growing-pauses.js';
import { TO_EMBED, type IndexedJobRecord } from './indexed-job.js';
import type { IndexedJobs } from './indexed-jobs.js';

/** Transcripts in succession that may fail in one round: then the engine does not work, whatever the transcript. */
const MAX_FAILURES = 3;

/** Transcripts that have no vectors yet, since the engine failed. A round continues after the transcript that was tried last: those that the engine always refuses hold up no others. */
export class WaitingTranscripts {
  private last: IndexedJobRecord | undefined;
  /** Ids that were met since the list was begun. */
  private listed = new Set<string>();

  /** @param pauses between two tries of the same transcript */
  constructor(
    private readonly jobs: Pick<IndexedJobs, 'ofEngine'>,
    private readonly pauses: GrowingPauses,
  ) {}

  /** Tries each transcript whose pause is over; while all fail, only a few. @param embed returns false when the transcript failed */
  async round(embed: (transcript: IndexedJobRecord) => Promise<boolean>): Promise<void> {
    let failures = 0;
    for await (const transcript of this.fromLast()) {
      const { id } = transcript;
      this.listed.add(id);
      if (!this.pauses.isOver(id)) continue;
      this.last = transcript;
      if (await embed(transcript)) {
        this.pauses.end(id);
        failures = 0;
        continue;
      }
      this.pauses.begin(id);
      failures += 1;
      if (failures >= MAX_FAILURES) return;
    }
  }

  private async *fromLast(): AsyncGenerator<IndexedJobRecord> {
    const { last } = this;
    if (last) for await (const { document } of this.jobs.ofEngine(TO_EMBED, last.createdAt)) if (isAfter(document, last)) yield document;
    // The list is at its end. A paused transcript that was not in it is erased, or has its vectors.
    this.pauses.keepOnly(this.listed);
    this.listed = new Set();
    for await (const { document } of this.jobs.ofEngine(TO_EMBED)) {
      if (last && isAfter(document, last)) return;
      yield document;
    }
  }
}

const isAfter = (one: IndexedJobRecord, other: IndexedJobRecord): boolean => one.createdAt > other.createdAt || (one.createdAt === other.createdAt && one.id > other.id);
