import { Inject, Injectable } from '@nestjs/common';
import { transcription, type ingest, type TranscriptService } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import { TRANSCRIPT_SERVICE } from '@parlance/runtime';
import { JobReader, type JobRef } from '../transcriptions/job-reader.js';
import { requireTranscript } from './job-failure.js';
import type { TranscriptPages } from './transcript-text.js';

const { TRANSCRIPT_FORMAT_SRT, TRANSCRIPT_FORMAT_VTT } = transcription.TranscriptFormat;

/** The transcripts of jobs that are done, for the translators of other vendors' APIs. */
@Injectable()
export class CompatTranscripts {
  constructor(
    @Inject(JobReader) private readonly reader: Pick<JobReader, 'transcript'>,
    @Inject(TRANSCRIPT_SERVICE) private readonly transcripts: Pick<TranscriptService, 'renderTranscript'>,
  ) {}

  /** @throws AppError when the job failed */
  async pages(ref: JobRef, job: ingest.Job, includeWords: boolean): Promise<TranscriptPages> {
    requireTranscript(job);
    const pages = await this.reader.transcript(ref, includeWords);
    if (!pages) throw new AppError({ kind: 'internal', code: 'internal', message: 'The transcript is missing.' });
    return pages;
  }

  async *captions({ accountId, jobId }: JobRef, format: 'srt' | 'vtt', options: { speakers?: boolean; maxLineChars?: number; maxLines?: number } = {}): AsyncGenerator<Uint8Array> {
    const request = { accountId, jobId, format: format === 'srt' ? TRANSCRIPT_FORMAT_SRT : TRANSCRIPT_FORMAT_VTT, speakers: false, ...options };
    for await (const { data } of this.transcripts.renderTranscript(transcription.RenderTranscriptRequest.fromPartial(request))) yield data;
  }
}
