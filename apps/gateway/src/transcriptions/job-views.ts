import type { ingest } from '@parlance/contracts';
import { freshnessOf, type CallContext, type Freshness } from '@parlance/platform';
import { LRUCache } from 'lru-cache';
import { hasTranscript, jobJson } from './job-json.js';
import type { JobReader, JobRef } from './job-reader.js';

/** A job as it is answered. */
export interface JobView {
  accountId: string;
  /** Rises with every change. */
  version: number;
  hasTranscript: boolean;
  /** Without its transcript. */
  json: string;
}

interface KeptView {
  view: JobView;
  freshness: Freshness;
}

const MAX_KEPT = 2000;
/** Characters. */
const MAX_KEPT_JSON = 8_000_000;

export const viewOf = (job: ingest.Job): JobView => ({
  accountId: job.accountId,
  version: job.version,
  hasTranscript: hasTranscript(job),
  json: JSON.stringify(jobJson(job)),
});

/** Answers made lately, kept while their jobs are as they were: who asks again and again how far a job is, most often hears the same. */
export class JobViews {
  private readonly kept = new LRUCache<string, KeptView>({ max: MAX_KEPT, maxSize: MAX_KEPT_JSON, sizeCalculation: ({ view }) => view.json.length });

  constructor(private readonly reader: Pick<JobReader, 'get'>) {}

  /** At once, when it is kept; undefined: `read`. */
  recall({ accountId, jobId }: JobRef): JobView | undefined {
    const kept = this.kept.get(jobId);
    if (kept?.freshness.isFresh) return kept.view.accountId === accountId ? kept.view : undefined;
    this.kept.delete(jobId);
    return undefined;
  }

  /** @throws AppError not_found */
  async read(ref: JobRef, call: CallContext): Promise<JobView> {
    const job = await this.reader.get(ref, call);
    const view = viewOf(job);
    const freshness = freshnessOf(job);
    if (freshness?.isFresh) this.kept.set(ref.jobId, { view, freshness });
    return view;
  }
}
