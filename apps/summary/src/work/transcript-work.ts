import type { ingest } from '@parlance/contracts';
import { AppError, isFinalFailure, stageFailure, toAppError, type Clock, type Logger } from '@parlance/platform';
import type { JobErasures, RunningTasks } from '@parlance/runtime';
import type { DocumentCollection } from '@parlance/storage';
import type { Provenance } from '../engine/summary-engine.js';
import { hasEnded, isCanceled } from '../transcripts/job-state.js';
import type { TranscriptSource, VersionedTranscript } from '../transcripts/transcript-source.js';
import { NothingToDo } from './nothing-to-do.js';
import type { StageReports } from './stage-reports.js';
import type { WorkDocument } from './work-document.js';
import type { WorkMetrics } from './work-metrics.js';

/** Which work, for which job. */
export interface WorkKey {
  id: string;
  jobId: string;
  accountId: string;
  run: number;
}

export interface TranscriptWorkParts<Document extends WorkDocument<Provenance>> {
  /** For the log and metrics. */
  name: 'summary' | 'highlights';
  documents: DocumentCollection<Document>;
  /** A document for work that has none yet. */
  create(key: WorkKey, createdAt: string, job: ingest.Job | undefined): Document;
  make(transcript: VersionedTranscript, document: Document, signal: AbortSignal): Promise<NonNullable<Document['result']>>;
  /** Has the evidence point into the transcript as it is now. */
  keepUp(ref: { jobId: string; accountId: string }, signal: AbortSignal): Promise<void>;
  reports: StageReports;
  source: TranscriptSource;
  erasures: JobErasures;
  running: RunningTasks;
  /** Of one try, in milliseconds. */
  timeoutMs: number;
  metrics: WorkMetrics;
  clock: Clock;
  log: Logger;
}

/**
 * Makes one thing of a transcript, once a run, whatever is delivered twice or killed in between: its document says how far it is,
 * and holds the events that tell it.
 */
export class TranscriptWork<Document extends WorkDocument<Provenance>> {
  constructor(private readonly parts: TranscriptWorkParts<Document>) {}

  /** @throws what another try may mend, and the signal's reason */
  async perform(key: WorkKey, signal: AbortSignal): Promise<void> {
    if (await this.isErased(key.jobId)) return;
    const job = await this.parts.source.job(key, signal);
    // What was asked for apart from the job's stages is asked for all the same.
    if (!job || (isCanceled(job) && this.parts.reports.isStage)) return;
    try {
      const begun = await this.begin(key, job);
      if (begun) await this.carryOut(key, begun, job, signal);
      // Speakers that were found meanwhile found no result whose evidence could be moved.
      await this.parts.keepUp(key, signal);
    } finally {
      // What began just after the erasure has no transcript any more, or is stopped: it comes to no end that would look.
      await this.isErased(key.jobId);
    }
  }

  /** After the last try: the work failed, and may be asked for again. */
  async giveUp(key: WorkKey, thrown: unknown): Promise<void> {
    const isNothing = thrown instanceof NothingToDo;
    const { code, message } = toAppError(thrown);
    const error = isNothing ? { code, message, retryable: false } : stageFailure(thrown);
    if (!isNothing) this.parts.log.warn({ ...logFields(key), work: this.parts.name, err: thrown }, 'work failed');
    await this.end(key, isNothing ? 'skipped' : 'failed', { error });
  }

  private async carryOut(key: WorkKey, begun: Document, job: ingest.Job, signal: AbortSignal): Promise<void> {
    const { source, running, reports } = this.parts;
    const transcript = await source.read(job, signal).catch(gone);
    if (!transcript) return;
    try {
      const isMade = await running.run(key.jobId, signal, (stop) => this.make(key, begun, transcript, stop));
      // Nobody else tells who waits for it that it will not come.
      if (!isMade && !reports.isStage) await this.end(key, 'failed', { error: STOPPED });
    } catch (error) {
      // The process stops; the bus delivers the event again.
      if (signal.aborted || !(isFinalFailure(error) || error instanceof NothingToDo)) throw error;
      await this.giveUp(key, error);
    }
  }

  private async make(key: WorkKey, document: Document, transcript: VersionedTranscript, signal: AbortSignal): Promise<true> {
    const { clock, log, metrics, name } = this.parts;
    if (!transcript.lines.some(({ text }) => text.trim() !== '')) throw new NothingToDo('transcript_empty', 'Nothing is said in the recording.');
    const began = clock.now().getTime();
    const result = await this.inTime((ended) => this.parts.make(transcript, document, ended), signal);
    signal.throwIfAborted();
    const seconds = (clock.now().getTime() - began) / 1000;
    await this.end(key, 'completed', { result, transcriptVersion: transcript.version });
    metrics.made(name, result, seconds);
    const { engine, droppedItems, usage } = result;
    log.info({ ...logFields(key), work: name, engine, seconds, segments: transcript.lines.length, droppedItems, ...usage }, 'work completed');
    return true;
  }

  /** @throws AppError engine_timeout, which the job's owner is told, as no deadline of the bus is */
  private async inTime<T>(make: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(tookTooLong(this.parts.name)), this.parts.timeoutMs);
    try {
      return await make(AbortSignal.any([signal, deadline.signal]));
    } finally {
      clearTimeout(timer);
    }
  }

  /** @returns undefined when this run's work has ended before, or an earlier run made it already, which is told again */
  private async begin(key: WorkKey, job: ingest.Job): Promise<Document | undefined> {
    const { documents, reports, clock } = this.parts;
    const { stored } = await documents.update(key.id, (current = this.parts.create(key, clock.now().toISOString(), job)) => {
      if (current.endedRun >= key.run) return undefined;
      if (current.status === 'completed') {
        const document = { ...current, run: key.run, endedRun: key.run };
        return { document, events: reports.ended(document, key.run) };
      }
      if (current.status === 'running' && current.run >= key.run) return undefined;
      const document: Document = { ...current, run: key.run, status: 'running', error: undefined };
      return { document, events: reports.started(document, key.run) };
    });
    return stored && !hasEnded(stored.document, key.run) ? stored.document : undefined;
  }

  private async end(key: WorkKey, status: 'completed' | 'failed' | 'skipped', outcome: Pick<WorkDocument<Provenance>, 'result' | 'transcriptVersion' | 'error'>): Promise<void> {
    const { documents, reports, clock } = this.parts;
    if (await this.isErased(key.jobId)) return;
    const completedAt = clock.now().toISOString();
    await documents.update(key.id, (current = this.parts.create(key, completedAt, undefined)) => {
      if (current.endedRun >= key.run) return undefined;
      const document: Document = { ...current, status, completedAt, run: key.run, endedRun: key.run, ...outcome };
      return { document, events: reports.ended(document, key.run) };
    });
    await this.isErased(key.jobId);
  }

  /** The erasure writes its tombstone, then removes; this writes, then looks for the tombstone: one of the two sees the other. */
  private async isErased(jobId: string): Promise<boolean> {
    const { documents, erasures } = this.parts;
    if (!(await erasures.has(jobId))) return false;
    await documents.removeWhere({ jobId });
    return true;
  }
}

const STOPPED = { code: 'canceled', message: 'The job was canceled.', retryable: true };

const tookTooLong = (name: string) => new AppError({ kind: 'timeout', code: 'engine_timeout', message: `Making the ${name} took too long.` });

const logFields = ({ jobId, accountId, run }: WorkKey) => ({ job_id: jobId, account_id: accountId, run });

/** A transcript that is not found is one that was erased meanwhile. */
function gone(error: unknown): undefined {
  if (toAppError(error).kind === 'not_found') return undefined;
  throw error;
}
