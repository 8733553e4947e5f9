import { Inject, Injectable } from '@nestjs/common';
import type { ingest, SummaryService, transcription } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import { SUMMARY_SERVICE } from '@parlance/runtime';
import { orNone } from '../../summaries/completed-work.js';
import type { JobRef } from '../../transcriptions/job-reader.js';
import { CompatTranscripts } from '../compat-transcripts.js';
import { assemblyAiStatus, hasSpeakers, type FoundByAddOns } from './assemblyai-transcript.js';
import { SpokenWords } from './spoken-words.js';

interface CompletedTranscript {
  header: transcription.TranscriptHeader;
  spoken: SpokenWords;
}

/** Completed transcripts with the results of their add-ons. */
@Injectable()
export class AssemblyAiTranscripts {
  constructor(
    @Inject(CompatTranscripts) private readonly transcripts: CompatTranscripts,
    @Inject(SUMMARY_SERVICE) private readonly summaries: Pick<SummaryService, 'getSummary' | 'getChapters' | 'getEntities'>,
  ) {}

  /** @throws AppError when the transcript is not completed */
  async read(ref: JobRef, job: ingest.Job, signal: AbortSignal): Promise<CompletedTranscript> {
    requireCompleted(job);
    const reading = await this.transcripts.reading(ref, job, true, signal);
    const { header } = reading;
    return { header, spoken: new SpokenWords(reading, hasSpeakers(job) ? header.speakers : undefined) };
  }

  async found({ accountId, jobId }: JobRef, { options }: ingest.Job): Promise<FoundByAddOns> {
    const ref = { accountId, jobId };
    const [summary, chapters, entities] = await Promise.all([
      options?.summary?.enabled ? orNone(this.summaries.getSummary({ ...ref, summaryId: undefined })) : undefined,
      options?.chapters ? orNone(this.summaries.getChapters(ref)) : undefined,
      options?.entities ? orNone(this.summaries.getEntities(ref)) : undefined,
    ]);
    return { summary: summary?.summary, chapters: chapters?.chapters, entities: entities?.entities };
  }

  /** @param charsPerCaption the width of its one line; undefined: captions as ours are */
  captions(ref: JobRef, job: ingest.Job, format: 'srt' | 'vtt', charsPerCaption: number | undefined, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    requireCompleted(job);
    return this.transcripts.captions(ref, format, signal, charsPerCaption === undefined ? {} : { maxLineChars: charsPerCaption, maxLines: 1 });
  }
}

function requireCompleted(job: ingest.Job): void {
  const status = assemblyAiStatus(job);
  if (status !== 'completed') throw new AppError({ kind: 'invalid', code: 'invalid_request', message: `This transcript has the status ${status}. It must be completed before this can be requested.` });
}
