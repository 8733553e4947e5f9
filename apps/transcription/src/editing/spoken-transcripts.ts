import { Inject, Injectable } from '@nestjs/common';
import { notFound, TimeSlices } from '@parlance/platform';
import type { Segment } from '@parlance/transcript';
import { spokenView } from '../transcript/spoken-view.js';
import type { TranscriptDocument } from '../transcript/transcript-documents.js';
import { TranscriptStore } from '../transcript/transcript-store.js';
import { RevisionReader } from './revision-reader.js';

/** Segments of which an answer is made in one go. */
const PART = 25;

/** Finds the transcripts of accounts and reads them with their present speakers. */
@Injectable()
export class SpokenTranscripts {
  constructor(
    @Inject(TranscriptStore) private readonly transcripts: TranscriptStore,
    @Inject(RevisionReader) private readonly reader: RevisionReader,
  ) {}

  /** @throws AppError not_found, also for a transcript of another account */
  async find({ accountId, jobId }: { accountId: string; jobId: string }): Promise<TranscriptDocument> {
    return ownedBy(accountId, await this.transcripts.get(jobId));
  }

  /** Segments in order, some at a time, as `RevisionReader` reads them; what is made of them has its turn before the next ones. @throws AppError not_found */
  async *parts(transcript: TranscriptDocument, revision?: number, fromPage?: number): AsyncGenerator<Segment[]> {
    const asSpoken = spokenView(transcript);
    const slices = new TimeSlices();
    for await (const page of this.reader.readPages(transcript, revision, fromPage)) {
      for (let at = 0; at < page.length; at += PART) {
        await slices.next();
        yield page.slice(at, at + PART).map(asSpoken);
      }
    }
  }

  /** Segments in order; what is made of each has its turn before the next one. @throws AppError not_found */
  async *segments(transcript: TranscriptDocument, revision?: number, fromPage?: number): AsyncGenerator<Segment> {
    const slices = new TimeSlices();
    for await (const part of this.parts(transcript, revision, fromPage)) {
      for (const segment of part) {
        await slices.next();
        yield segment;
      }
    }
  }
}

/** @throws AppError not_found, also for a transcript of another account */
export function ownedBy(accountId: string, transcript: TranscriptDocument | undefined): TranscriptDocument {
  if (transcript?.accountId !== accountId) throw notFound('The transcript');
  return transcript;
}
