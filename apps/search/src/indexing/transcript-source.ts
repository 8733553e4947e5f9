import { Inject, Injectable } from '@nestjs/common';
import type { ingest, JobService, transcription, transcripts, TranscriptService } from '@parlance/contracts';
import { notFound, toAppError } from '@parlance/platform';
import { JOB_SERVICE, TRANSCRIPT_SERVICE } from '@parlance/runtime';

export interface JobRef {
  accountId: string;
  jobId: string;
}

export interface OpenedTranscript {
  header: transcription.TranscriptHeader;
  segments: AsyncIterable<transcripts.Segment>;
  /** To be called when the segments are not read to their end. */
  close(): Promise<void>;
}

/** Reads jobs and transcripts from the services that own them. */
@Injectable()
export class TranscriptSource {
  constructor(
    @Inject(JOB_SERVICE) private readonly jobs: JobService,
    @Inject(TRANSCRIPT_SERVICE) private readonly transcripts: TranscriptService,
  ) {}

  /** @returns undefined for a deleted job */
  async job({ accountId, jobId }: JobRef, signal: AbortSignal): Promise<ingest.Job | undefined> {
    return orMissing(this.jobs.getJob({ accountId, jobId }, { signal }).then(({ job }) => job));
  }

  /** Must be read to its end, or closed. @throws AppError not_found */
  async open({ accountId, jobId }: JobRef, signal: AbortSignal): Promise<OpenedTranscript> {
    const request = { accountId, jobId, includeWords: false };
    const pages = this.transcripts.getTranscript(request, { signal });
    const { value: first } = await pages.next();
    if (!first?.header) throw notFound('The transcript');
    return { header: first.header, segments: segmentsOf(first, pages), close: async () => void (await pages.return(undefined)) };
  }

  /** @returns the header of the transcript; undefined when there is none */
  async header(ref: JobRef, signal: AbortSignal): Promise<transcription.TranscriptHeader | undefined> {
    const opened = await orMissing(this.open(ref, signal));
    await opened?.close();
    return opened?.header;
  }
}

async function* segmentsOf(first: transcription.GetTranscriptResponse, rest: AsyncGenerator<transcription.GetTranscriptResponse>): AsyncGenerator<transcripts.Segment> {
  try {
    yield* first.segments;
    for await (const { segments } of rest) yield* segments;
  } finally {
    await rest.return(undefined);
  }
}

const orMissing = <T>(asked: Promise<T>): Promise<T | undefined> =>
  asked.catch((error: unknown) => {
    if (toAppError(error).kind === 'not_found') return undefined;
    throw error;
  });
