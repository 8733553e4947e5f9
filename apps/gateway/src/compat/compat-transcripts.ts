import { Inject, Injectable } from '@nestjs/common';
import { transcription, type ingest, type transcripts, type TranscriptService } from '@parlance/contracts';
import { AppError, TimeSlices } from '@parlance/platform';
import { TRANSCRIPT_SERVICE } from '@parlance/runtime';
import type { JobRef } from '../transcriptions/job-reader.js';
import { requireTranscript } from './job-failure.js';
import type { TranscriptReading } from './transcript-text.js';

const { TRANSCRIPT_FORMAT_SRT, TRANSCRIPT_FORMAT_VTT } = transcription.TranscriptFormat;

/** The transcripts of jobs that are done, for the translators of other vendors' APIs. */
@Injectable()
export class CompatTranscripts {
  constructor(@Inject(TRANSCRIPT_SERVICE) private readonly transcripts: Pick<TranscriptService, 'renderTranscript' | 'getTranscript'>) {}

  /** The newest revision. @param signal of a client that may leave: reading ends with it @throws AppError when the job failed */
  async reading({ accountId, jobId }: JobRef, job: ingest.Job, includeWords: boolean, signal: AbortSignal): Promise<TranscriptReading> {
    requireTranscript(job);
    const request = { accountId, jobId, includeWords };
    const header = await this.headerOf(request, signal);
    return { header, segments: () => this.segments({ ...request, revision: header.revision }, signal) };
  }

  async *captions({ accountId, jobId }: JobRef, format: 'srt' | 'vtt', signal: AbortSignal, options: { speakers?: boolean; maxLineChars?: number; maxLines?: number } = {}): AsyncGenerator<Uint8Array> {
    const request = { accountId, jobId, format: format === 'srt' ? TRANSCRIPT_FORMAT_SRT : TRANSCRIPT_FORMAT_VTT, speakers: false, ...options };
    for await (const { data } of this.transcripts.renderTranscript(transcription.RenderTranscriptRequest.fromPartial(request), { signal })) yield data;
  }

  private async headerOf(request: transcription.GetTranscriptRequest, signal: AbortSignal): Promise<transcription.TranscriptHeader> {
    for await (const { header } of this.transcripts.getTranscript(request, { signal })) if (header) return header;
    throw new AppError({ kind: 'internal', code: 'internal', message: 'The transcript is missing.' });
  }

  /** In order; each has its turn of the event loop before the next one. */
  private async *segments(request: transcription.GetTranscriptRequest, signal: AbortSignal): AsyncGenerator<transcripts.Segment> {
    const slices = new TimeSlices();
    for await (const { segments } of this.transcripts.getTranscript(request, { signal })) {
      for (const segment of segments) {
        await slices.next();
        yield segment;
      }
    }
  }
}
