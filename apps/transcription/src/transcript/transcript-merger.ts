import { setImmediate } from 'node:timers/promises';
import type { NewEvent } from '@parlance/contracts';
import type { SpeechEngineInfo } from '@parlance/engines';
import { inSpan, toAppError, type Clock, type Logger } from '@parlance/platform';
import { mergeChunks, roundToMs, segmentWords, speakersOf, type ChunkPlan, type ChunkWords } from '@parlance/transcript';
import { isOf, type ChunkCheckpoints } from '../chunks/chunk-checkpoints.js';
import type { PlanReader } from '../chunks/plan-reader.js';
import type { JobLedger } from '../jobs/job-ledger.js';
import type { JobMedia, JobTurns } from '../jobs/job-record.js';
import { ChunkSummary } from './chunk-summary.js';
import { stageCompleted, type SpeakerAssigner } from './speaker-assigner.js';
import type { TranscriptDocument } from './transcript-documents.js';
import type { TranscriptStore } from './transcript-store.js';

export interface TranscriptMergerParts {
  ledger: JobLedger;
  plans: PlanReader;
  checkpoints: ChunkCheckpoints;
  transcripts: TranscriptStore;
  speakers: SpeakerAssigner;
  engine: SpeechEngineInfo;
  clock: Clock;
  log: Logger;
}

interface JobRun {
  jobId: string;
  accountId: string;
  run: number;
}

/** A checkpoint is missing, or was made from an older plan: its own event will ask again. */
class ChunkMissing extends Error {
  override readonly name = 'ChunkMissing';
}

/** A container's word for its duration is taken when the decoded audio is this close, in seconds. */
const DURATION_TOLERANCE = 1;

/** Makes one transcript from a job's checkpoints, once the last of them is there. Redone from the start when it is interrupted. */
export class TranscriptMerger {
  constructor(private readonly parts: TranscriptMergerParts) {}

  /** Asked after each chunk, and when the media becomes known; the one that finds everything there merges. */
  async mergeWhenComplete(job: JobRun): Promise<void> {
    const { ledger, checkpoints, transcripts } = this.parts;
    const record = await ledger.get(job.jobId);
    // A process that died while it merged may have left pages behind.
    if (record?.state === 'deleted') await transcripts.remove(job.jobId);
    if (!record?.media || record.state !== 'active') return;
    const existing = await transcripts.get(job.jobId);
    const run = Math.max(job.run, record.media.run);
    if (existing) return this.complete({ ...existing, run }, record.media, undefined);
    if ((await checkpoints.countTranscribed(job.jobId)) < record.media.chunksTotal) return;
    try {
      const { media, turns } = record;
      const attributes = { 'parlance.job_id': job.jobId, 'parlance.chunks': media.chunksTotal };
      await inSpan('merge transcript', { attributes }, async () => this.complete(await this.merge({ ...job, run }, media, turns), media, turns));
    } catch (error) {
      if (!(error instanceof ChunkMissing)) throw error;
    }
    if (await ledger.isDeleted(job.jobId)) await transcripts.remove(job.jobId);
  }

  /** After the last failed try: the job fails, and may be retried; its checkpoints stay. */
  async giveUp({ jobId, accountId, run }: JobRun, thrown: unknown): Promise<void> {
    const { code, message, retryable } = toAppError(thrown);
    const failure = code === 'storage_full' ? { code, message, retryable } : MERGE_FAILED;
    await this.parts.ledger.fail({ jobId, accountId, run }, failure);
  }

  private async merge({ jobId, accountId, run }: JobRun, media: JobMedia, turns: JobTurns | undefined): Promise<TranscriptDocument> {
    const { plans, transcripts, speakers, clock, engine } = this.parts;
    const plan = await plans.read(media.planKey, media.run);
    const duration = durationOf(media, plan);
    const summary = new ChunkSummary();
    const words = mergeChunks(this.chunkWords(plan, summary), { duration });
    const spoken = turns && (await speakers.readIfPossible(turns, jobId));
    const written = await transcripts.writePages(jobId, segmentWords(words), spoken ?? []);
    const detected = summary.language;
    return {
      id: jobId,
      createdAt: clock.now().toISOString(),
      accountId,
      run,
      language: media.options?.language ?? detected?.tag ?? onlyLanguage(engine) ?? 'und',
      ...(media.options?.language === undefined && detected && engine.detectsLanguage && { languageConfidence: roundToMs(detected.confidence) }),
      duration,
      version: 1,
      speakers: speakersOf(spoken ?? []),
      ...(turns && spoken && { turns: { turnsKey: turns.turnsKey, run: turns.run } }),
      ...written,
      engine: summary.engine || engine.name,
      warnings: summary.warnings,
    };
  }

  private async *chunkWords(plan: ChunkPlan, summary: ChunkSummary): AsyncGenerator<ChunkWords> {
    for (const chunk of plan.chunks) {
      const checkpoint = await this.parts.checkpoints.get(plan.jobId, chunk.index);
      if (!checkpoint || !isOf(chunk, checkpoint)) throw new ChunkMissing();
      summary.add(checkpoint);
      // An embedded store answers without leaving the event loop; others must have their turn.
      await setImmediate();
      yield { chunk, words: checkpoint.words };
    }
  }

  private async complete(transcript: TranscriptDocument, { options }: JobMedia, turns: JobTurns | undefined): Promise<void> {
    const { id: jobId, accountId, run, language, languageConfidence, duration, segmentCount, wordCount, engine, warnings, version } = transcript;
    const data = { jobId, accountId, run, language, languageConfidence, duration, segmentCount, wordCount, engine, options, warnings, version };
    const events: NewEvent[] = [{ type: 'transcript.completed', data }, ...(turns && transcript.turns ? [stageCompleted(transcript, turns)] : [])];
    if (!(await this.parts.transcripts.complete(transcript, events))) return;
    this.parts.log.info({ job_id: jobId, account_id: accountId, run, segments: segmentCount, words: wordCount }, 'transcript completed');
  }
}

const MERGE_FAILED = { code: 'internal', message: 'The transcript could not be put together from its chunks.', retryable: true };

const durationOf = (media: JobMedia, plan: ChunkPlan): number =>
  roundToMs(Math.abs(media.duration - plan.duration) < DURATION_TOLERANCE ? Math.min(media.duration, plan.duration) : plan.duration);

const onlyLanguage = ({ languages }: SpeechEngineInfo): string | undefined => (languages.length === 1 ? languages[0] : undefined);
