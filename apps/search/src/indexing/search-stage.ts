import { common, events } from '@parlance/contracts';
import { inSpan, stageFailure, toAppError, type Logger } from '@parlance/platform';
import type { JobErasures, RunningTasks } from '@parlance/runtime';
import type { SearchIndex, Speaker } from '@parlance/search-index';
import type { IndexedJobs, JobRun } from './indexed-jobs.js';
import type { TranscriptIndexer } from './transcript-indexer.js';
import type { JobRef, TranscriptSource } from './transcript-source.js';

/** Milliseconds to index without the engine. */
const WORDS_ALONE_MS = 60_000;

export interface SearchStageParts {
  index: SearchIndex;
  jobs: IndexedJobs;
  indexer: TranscriptIndexer;
  source: TranscriptSource;
  erasures: JobErasures;
  running: RunningTasks;
  log: Logger;
}

/** The stage `search` of a job, and what becomes of its passages later. */
export class SearchStage {
  constructor(private readonly parts: SearchStageParts) {}

  /** The transcript is there, or a retry asks. */
  async run(job: JobRun, signal: AbortSignal): Promise<void> {
    const { jobs, indexer, running, log } = this.parts;
    if ((await this.removeIfDeleted(job)) || !(await jobs.begin(job))) return;
    const fields = { job_id: job.jobId, account_id: job.accountId, run: job.run };
    try {
      const attributes = { 'parlance.job_id': job.jobId };
      const indexed = await running.run(job.jobId, signal, (stop) => inSpan('index transcript', { attributes }, () => indexer.index(job, stop)));
      if (indexed) await jobs.complete(job, indexed);
      log.info({ ...fields, ...indexed }, indexed ? 'transcript indexed' : 'transcript not wanted any more');
    } catch (error) {
      log.warn({ ...fields, err: error }, 'transcript not indexed');
      if (signal.aborted || toAppError(error).retryable || toAppError(error).kind === 'internal') throw error;
      await this.giveUp(job, error);
    }
    await this.removeIfDeleted(job);
  }

  /** After the last try: it is found by its words where these can be indexed without the engine, and a retry may do better. @returns whether the failure is known */
  async giveUp(job: JobRun, thrown: unknown): Promise<boolean> {
    const { jobs, indexer, log } = this.parts;
    const indexed = await indexer.index(job, AbortSignal.timeout(WORDS_ALONE_MS), false).catch((error: unknown) => {
      log.warn({ job_id: job.jobId, err: error }, 'transcript not indexed by its words either');
      return undefined;
    });
    const isKnown = await jobs.fail(job, stageFailure(thrown), indexed);
    return (await this.removeIfDeleted(job)) || isKnown;
  }

  /** In every process, at once. */
  stop(jobId: string): void {
    this.parts.running.stop(jobId);
  }

  async canceled({ jobId, accountId }: JobRef): Promise<void> {
    await this.parts.jobs.cancel({ jobId, accountId });
  }

  async speakersChanged(event: events.TranscriptSpeakersChanged, signal: AbortSignal): Promise<void> {
    const { jobs, indexer } = this.parts;
    const { jobId } = event;
    if ((await this.removeIfDeleted(event)) || !(await jobs.isWanted(jobId))) return;
    if (event.change === events.SpeakersChange.SPEAKERS_CHANGE_FOUND) {
      const indexed = await indexer.index(event, signal);
      if (indexed) await jobs.reindexed(jobId, indexed);
    } else {
      await this.renameSpeakers(event, signal);
    }
    await this.removeIfDeleted(event);
  }

  /** Passages are as they were, with their embeddings. */
  private async renameSpeakers(event: events.TranscriptSpeakersChanged, signal: AbortSignal): Promise<void> {
    const { index, source } = this.parts;
    const { jobId, accountId, version, mergedFrom, mergedInto } = event;
    const header = await source.header(event, signal);
    if (!header) return;
    const speakers: Record<string, Speaker> = Object.fromEntries(header.speakers.map(({ speakerId, name }) => [speakerId, { id: speakerId, name }]));
    const into = mergedInto === undefined ? undefined : (speakers[mergedInto] ?? { id: mergedInto });
    if (mergedFrom !== undefined && into) speakers[mergedFrom] = into;
    await index.updateSpeakers({ jobId, accountId, version: Math.max(1, version) }, speakers);
  }

  /** The erasure writes its tombstone, then removes; this writes, then looks, and looks first for what a killed process wrote: one of the two sees the other. */
  private async removeIfDeleted({ jobId, accountId }: JobRef): Promise<boolean> {
    const { erasures, index, jobs } = this.parts;
    if (!(await erasures.has(jobId))) return false;
    await index.deleteJob(accountId, jobId);
    await jobs.remove(jobId);
    return true;
  }
}

/** The run of a stage that a retry asks for; undefined when it is another stage's. */
export const requestedRun = (event: events.StageRequested): JobRun | undefined => (event.stage === common.Stage.STAGE_SEARCH ? event : undefined);
