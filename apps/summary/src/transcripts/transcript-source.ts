import { Inject, Injectable } from '@nestjs/common';
import type { ingest, JobService, transcription, transcripts, TranscriptService } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import { JOB_SERVICE, TRANSCRIPT_SERVICE } from '@parlance/runtime';
import type { SpokenLine } from '@parlance/text-analysis';
import type { Speaker } from '@parlance/transcript';
import type { TranscriptText } from '../engine/summary-engine.js';

interface JobRef {
  accountId: string;
  jobId: string;
}

/** The present speakers of a transcript. */
export interface SpeakersNow {
  speakers: Speaker[];
  /** The version of the transcript. It rises with each change of its speakers or its text. */
  version: number;
  /** The newest revision of its text; absent: the recognised text. */
  revision?: number | undefined;
  /** The speaker that another one was merged into, by the id of the merged speaker. */
  merges: Readonly<Record<string, string>>;
}

export interface VersionedTranscript extends TranscriptText {
  version: number;
  /** The revision of the text; absent: the recognised text. */
  revision?: number | undefined;
}

/** The metadata of a job that says when it was recorded, as RFC 3339 or YYYY-MM-DD. */
const RECORDED_AT = 'recorded_at';

/** Reads transcripts and their jobs from the services that own them. */
@Injectable()
export class TranscriptSource {
  constructor(
    @Inject(TRANSCRIPT_SERVICE) private readonly transcripts: TranscriptService,
    @Inject(JOB_SERVICE) private readonly jobs: JobService,
  ) {}

  /** @returns undefined when there is no such job, or none any more */
  async job(ref: JobRef, signal?: AbortSignal): Promise<ingest.Job | undefined> {
    try {
      return (await this.jobs.getJob(ref, signal && { signal })).job;
    } catch (error) {
      if (error instanceof AppError && error.kind === 'not_found') return undefined;
      throw error;
    }
  }

  /** Leaves out the times of words, so that ten hours of talk are about a megabyte. @throws AppError not_found when there is no transcript, or none any more */
  async read(job: ingest.Job, signal: AbortSignal): Promise<VersionedTranscript> {
    const { accountId, jobId } = job;
    const pages = this.transcripts.getTranscript({ accountId, jobId, includeWords: false }, { signal });
    const lines: SpokenLine[] = [];
    let header: transcription.TranscriptHeader | undefined;
    for await (const page of pages) {
      header ??= page.header;
      for (const { segmentId, start, end, speakerId, text } of page.segments) lines.push({ segmentId, start, end, text, ...(speakerId !== undefined && { speakerId }) });
    }
    const { language = 'und', duration = 0, speakers = [], version = 0, revision } = header ?? {};
    return { language, duration, speakers, lines, recordedAt: recordedAt(job), version, ...(revision !== undefined && { revision }) };
  }

  /** The segments with their words, one by one. @throws AppError when the transcript is no longer of this version, so that the work begins anew */
  async *segments({ accountId, jobId }: JobRef, { version }: Pick<VersionedTranscript, 'version'>, signal: AbortSignal): AsyncGenerator<transcripts.Segment> {
    for await (const { header, segments } of this.transcripts.getTranscript({ accountId, jobId, includeWords: true }, { signal })) {
      if (header && header.version !== version) throw new AppError({ code: 'transcript_changing', message: 'The transcript was changed meanwhile.', retryable: true });
      yield* segments;
    }
  }

  /** @throws AppError not_found when there is no transcript */
  async speakers(ref: JobRef): Promise<SpeakersNow> {
    return this.transcripts.listSpeakers(ref);
  }
}

function recordedAt({ createdAt = new Date(0), recordedAt: stated, options }: ingest.Job): Date {
  if (stated) return stated;
  const said = options?.metadata[RECORDED_AT];
  const parsed = said === undefined ? NaN : Date.parse(said);
  return Number.isNaN(parsed) ? createdAt : new Date(parsed);
}
