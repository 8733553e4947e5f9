import { Inject, Injectable } from '@nestjs/common';
import type { NewEvent } from '@parlance/contracts';
import { AppError, inSpan, toAppError, type Logger } from '@parlance/platform';
import { LOGGER } from '@parlance/runtime';
import { JobErasure, type JobRun } from '@parlance/stage';
import { ChunkCheckpoints } from '../chunks/chunk-checkpoints.js';
import { JobLedger } from '../jobs/job-ledger.js';
import { TRANSCRIPTION, type JobFacts, type JobMedia, type JobTurns } from '../jobs/job-record.js';
import { PagesOvertaken } from './page-inputs.js';
import { RedactedCheckpoints } from './redacted-checkpoints.js';
import { SpeakerAssigner, stageCompleted } from './speaker-assigner.js';
import { ChunkMissing, TranscriptAssembler } from './transcript-assembler.js';
import type { TranscriptDocument } from './transcript-documents.js';
import { TranscriptStore } from './transcript-store.js';

/** Completes a job's transcript once its last chunk is transcribed. An interrupted merge starts from the beginning. */
@Injectable()
export class TranscriptMerger {
  constructor(
    @Inject(JobLedger) private readonly ledger: JobLedger,
    @Inject(JobErasure) private readonly erasure: JobErasure,
    @Inject(ChunkCheckpoints) private readonly checkpoints: ChunkCheckpoints,
    @Inject(TranscriptStore) private readonly transcripts: TranscriptStore,
    @Inject(SpeakerAssigner) private readonly speakers: SpeakerAssigner,
    @Inject(RedactedCheckpoints) private readonly redacted: RedactedCheckpoints,
    @Inject(TranscriptAssembler) private readonly assembler: TranscriptAssembler,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** Called after each chunk, and when the media is ready. The call that finds all chunks transcribed merges them. */
  async mergeWhenComplete(job: JobRun): Promise<void> {
    // A process that died while it merged may have left pages behind.
    if (await this.erasure.removeIfErased(job)) return;
    const record = await this.ledger.get(job.jobId);
    if (!record?.media || record.state !== 'active') return;
    const existing = await this.transcripts.get(job.jobId);
    const run = Math.max(job.run, record.media.run);
    if (existing) return this.completeAgain({ ...existing, run }, record.media);
    if ((await this.checkpoints.countTranscribed(job.jobId)) < record.media.chunksTotal) return;
    try {
      const { media, turns } = record;
      const attributes = { 'parlance.job_id': job.jobId, 'parlance.chunks': media.chunksTotal };
      await inSpan('merge transcript', { attributes }, async () => this.complete(await this.assembler.assemble({ ...job, run }, media, turns), media, turns));
    } catch (error) {
      if (error instanceof PagesOvertaken) await this.overtaken({ ...job, run }, record, error);
      else if (error instanceof AppError && error.code === 'language_uncertain') await this.languageUncertain({ ...job, run }, error);
      else if (!(error instanceof ChunkMissing)) throw error;
    }
    await this.erasure.removeIfErased(job);
  }

  /** Ingest received no end of the run for some time, so it may be lost. @returns whether the run has its transcript */
  async reportAgain({ jobId, run }: JobRun): Promise<boolean> {
    const media = (await this.ledger.get(jobId))?.media;
    return media !== undefined && this.transcripts.announceAgain(jobId, run, (transcript) => [transcriptCompleted(transcript, media)]);
  }

  /** Fails the job after the last try. It may be retried; its checkpoints stay. */
  async giveUp({ jobId, accountId, run }: JobRun, thrown: unknown): Promise<void> {
    const { code, message, retryable } = toAppError(thrown);
    const failure = code === 'storage_full' ? { code, message, retryable } : MERGE_FAILED;
    await this.ledger.end(TRANSCRIPTION, { jobId, accountId, run }, { status: 'failed', error: failure });
  }

  private async languageUncertain({ jobId, accountId, run }: JobRun, { code, message, retryable }: AppError): Promise<void> {
    this.log.info({ job_id: jobId, account_id: accountId, run }, 'language uncertain');
    await this.ledger.end(TRANSCRIPTION, { jobId, accountId, run }, { status: 'failed', error: { code, message, retryable } });
  }

  /** Another process completed the transcript, or will. When turns are known, it may also have been killed, and its pages have turns that this process could not read. */
  private async overtaken({ jobId, run }: JobRun, { media, turns }: Partial<JobFacts>, error: PagesOvertaken): Promise<void> {
    const existing = await this.transcripts.get(jobId);
    if (existing && media) return this.completeAgain({ ...existing, run }, media);
    if (!turns) return;
    // While the media store is away, this throws the outage, which is waited for.
    await this.speakers.read(turns);
    throw error;
  }

  private completeAgain(transcript: TranscriptDocument, media: JobMedia): Promise<void> {
    return this.complete(transcript, media, undefined);
  }

  private async complete(transcript: TranscriptDocument, media: JobMedia, turns: JobTurns | undefined): Promise<void> {
    const completed = await this.transcripts.complete(transcript, (document) => [
      transcriptCompleted(document, media),
      ...(turns && document.turns ? [stageCompleted(document, turns)] : []),
    ]);
    await this.redacted.redact(transcript);
    if (!completed) return;
    const { id: jobId, accountId, run, segmentCount, wordCount } = completed;
    this.log.info({ job_id: jobId, account_id: accountId, run, segments: segmentCount, words: wordCount }, 'transcript completed');
  }
}

function transcriptCompleted(transcript: TranscriptDocument, { options }: JobMedia): NewEvent {
  const { id: jobId, accountId, run, language, detectedLanguage, languageConfidence, duration, segmentCount, wordCount, engine, warnings, version } = transcript;
  return { type: 'transcript.completed', data: { jobId, accountId, run, language, detectedLanguage, languageConfidence, duration, segmentCount, wordCount, engine, options, warnings, version } };
}

const MERGE_FAILED = { code: 'internal', message: 'The chunks could not be merged into a transcript.', retryable: true };
