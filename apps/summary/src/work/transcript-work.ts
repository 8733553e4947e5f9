import type { common, ingest, NewEvent } from '@parlance/contracts';
import { toAppError, type Clock, type Logger } from '@parlance/platform';
import type { JobRef, StageResult } from '@parlance/stage';
import type { DocumentCollection } from '@parlance/storage';
import type { Provenance } from '../engine/summary-engine.js';
import type { SpeakerChanges } from '../speakers/speaker-changes.js';
import type { TranscriptSource, VersionedTranscript } from '../transcripts/transcript-source.js';
import type { WorkDocument } from './work-document.js';
import type { WorkMetrics } from './work-metrics.js';

/** Identifies the work and its job. */
export interface WorkKey extends JobRef {
  id: string;
  /** The run of the job that needs it; absent for work that is ordered apart from the job. */
  run?: number;
}

const NOTHING_SAID: common.Failure = { code: 'transcript_empty', message: 'Nothing is said in the recording.', retryable: false };

/** Makes a summary, the highlights, the chapters or the entities of a transcript. The document has the state of the work and its result. */
export abstract class TranscriptWork<Document extends WorkDocument<Provenance>> {
  /** For the log and metrics. */
  protected abstract readonly name: 'summary' | 'highlights' | 'chapters' | 'entities';

  constructor(
    private readonly documents: DocumentCollection<Document>,
    private readonly speakerChanges: SpeakerChanges,
    private readonly source: TranscriptSource,
    private readonly metrics: WorkMetrics,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {}

  /** A document for work that has none yet. */
  protected abstract create(key: WorkKey, createdAt: string, job: ingest.Job | undefined): Document;

  protected abstract make(transcript: VersionedTranscript, document: Document, signal: AbortSignal): Promise<NonNullable<Document['result']>>;

  /** The document as a further run of the job needs it. */
  protected renewed(document: Document, _job: ingest.Job): Document {
    return document;
  }

  /** The events that say that the work has ended, stored together with its outcome. */
  protected ended(_document: Document): NewEvent[] {
    return [];
  }

  /** A result that is there is not made again, unless a further run of the job needs it and the transcript was edited since. @returns undefined when the job is gone. @throws errors that another try may change, and the signal's reason */
  async perform(key: WorkKey, signal: AbortSignal): Promise<StageResult<object> | undefined> {
    const job = await this.source.job(key, signal);
    if (!job) return undefined;
    const document = await this.begin(key, job);
    const ended = document.status === 'completed' && !(await this.isOutdated(key, document)) ? document : await this.carryOut(key, document, job, signal);
    // Speakers may have been assigned meanwhile, when there was no result whose evidence could be moved.
    await this.speakerChanges.relocateEvidence(key, signal);
    return ended && { status: ended.status === 'skipped' ? 'skipped' : 'completed', ...resultOf(ended) };
  }

  /** Stores the failure after the last try. The work may be requested again. */
  async fail(key: WorkKey, error: common.Failure): Promise<void> {
    await this.store(key, { status: 'failed', error });
  }

  private async carryOut(key: WorkKey, document: Document, job: ingest.Job, signal: AbortSignal): Promise<Document | undefined> {
    const transcript = await this.source.read(job, signal).catch(undefinedWhenGone);
    if (!transcript) return undefined;
    if (!transcript.lines.some(({ text }) => text.trim() !== '')) return this.store(key, { status: 'skipped', error: NOTHING_SAID });
    const { clock, name } = this;
    const began = clock.now().getTime();
    const result = await this.make(transcript, this.renewed(document, job), signal);
    signal.throwIfAborted();
    const seconds = (clock.now().getTime() - began) / 1000;
    const completed = await this.store(key, { status: 'completed', result, run: key.run, transcriptVersion: transcript.version, transcriptRevision: transcript.revision }, job);
    this.metrics.made(name, result, seconds);
    const { engine, droppedItems, usage } = result;
    this.log.info({ job_id: key.jobId, account_id: key.accountId, work: name, engine, seconds, segments: transcript.lines.length, droppedItems, ...usage }, 'work completed');
    return completed;
  }

  /** The result stays readable until there is another. */
  private async isOutdated(key: WorkKey, document: Document): Promise<boolean> {
    if (!isLaterRun(key, document)) return false;
    const speakers = await this.source.speakers(key).catch(undefinedWhenGone);
    return (document.transcriptRevision ?? 0) < (speakers?.revision ?? 0);
  }

  private async begin(key: WorkKey, job: ingest.Job): Promise<Document> {
    const unknown = this.create(key, this.clock.now().toISOString(), job);
    const { stored } = await this.documents.update(key.id, (current = unknown) =>
      current.status === 'completed' ? undefined : { document: { ...current, status: 'running', error: undefined } },
    );
    return stored?.document ?? unknown;
  }

  private async store(key: WorkKey, outcome: Pick<WorkDocument<Provenance>, 'status' | 'result' | 'transcriptVersion' | 'transcriptRevision' | 'run' | 'error'>, job?: ingest.Job): Promise<Document | undefined> {
    const completedAt = this.clock.now().toISOString();
    const { stored } = await this.documents.update(key.id, (current = this.create(key, completedAt, undefined)) => {
      const document = { ...(job ? this.renewed(current, job) : current), ...outcome, completedAt };
      const isReplaced = outcome.status === 'completed' && isLaterRun(key, current);
      return current.status === 'completed' && !isReplaced ? undefined : { document, events: this.ended(document) };
    });
    return stored?.document;
  }
}

const isLaterRun = ({ run = 0 }: WorkKey, { run: madeIn = 1 }: WorkDocument<Provenance>): boolean => run > madeIn;

/** With the warnings of the result, the items that were dropped among them. */
const resultOf = ({ status, error, result }: WorkDocument<Provenance>): Omit<StageResult<object>, 'status'> => ({
  ...(status === 'skipped' && error && { error }),
  ...(result && { engine: result.engine, warnings: result.warnings }),
});

/** A transcript that is not found was erased meanwhile. */
function undefinedWhenGone(error: unknown): undefined {
  if (toAppError(error).kind === 'not_found') return undefined;
  throw error;
}

/** The fields that all new documents of work have. */
export const newWork = ({ id, jobId, accountId }: WorkKey, createdAt: string) => ({ id, createdAt, jobId, accountId, status: 'pending' }) as const;
