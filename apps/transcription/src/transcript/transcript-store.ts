import { setImmediate } from 'node:timers/promises';
import type { NewEvent } from '@parlance/contracts';
import { notFound, type Clock } from '@parlance/platform';
import type { DocumentCollection } from '@parlance/storage';
import type { Segment } from '@parlance/transcript';
import { pageId, SEGMENTS_PER_PAGE, type TranscriptDocument, type TranscriptPage } from './transcript-documents.js';

export interface StoredPages {
  segmentCount: number;
  wordCount: number;
  pageCount: number;
}

/** Transcripts in pages, so that ten hours are never in memory at once. */
export class TranscriptStore {
  constructor(
    private readonly transcripts: DocumentCollection<TranscriptDocument>,
    private readonly pages: DocumentCollection<TranscriptPage>,
    private readonly clock: Clock,
  ) {}

  async get(jobId: string): Promise<TranscriptDocument | undefined> {
    return (await this.transcripts.get(jobId))?.document;
  }

  /** Segments in order, a page at a time. @throws AppError not_found when the transcript is erased while it is read: what was read is not all of it */
  async *readPages({ id, pageCount }: Pick<TranscriptDocument, 'id' | 'pageCount'>): AsyncGenerator<Segment[]> {
    for (let page = 0; page < pageCount; page++) {
      const stored = await this.pages.get(pageId(id, page));
      if (!stored) throw notFound('The transcript');
      yield stored.document.segments;
      // An embedded store answers without leaving the event loop; others must have their turn.
      await setImmediate();
    }
  }

  async *readSegments(transcript: Pick<TranscriptDocument, 'id' | 'pageCount'>): AsyncGenerator<Segment> {
    for await (const page of this.readPages(transcript)) yield* page;
  }

  /** Writes the pages over those of an attempt that was interrupted. Nobody reads them before the transcript is completed. */
  async writePages(jobId: string, segments: AsyncIterable<Segment>): Promise<StoredPages> {
    const written = { segmentCount: 0, wordCount: 0, pageCount: 0 };
    let held: Segment[] = [];
    const flush = async () => {
      await this.putPage(jobId, written.pageCount, held);
      written.pageCount++;
      held = [];
    };
    for await (const segment of segments) {
      held.push(segment);
      written.segmentCount++;
      written.wordCount += segment.words.length;
      if (held.length === SEGMENTS_PER_PAGE) await flush();
    }
    if (held.length > 0) await flush();
    return written;
  }

  /**
   * The one write that makes the transcript visible, with its event; again with the event of a newer run of the job.
   * @returns whether this call did it.
   */
  async complete(transcript: TranscriptDocument, event: NewEvent): Promise<boolean> {
    const { changed } = await this.transcripts.update(transcript.id, (current) =>
      current && current.run >= transcript.run ? undefined : { document: transcript, events: [event] },
    );
    return changed;
  }

  /** @returns how many documents there were. */
  async remove(jobId: string): Promise<number> {
    const existed = await this.transcripts.remove(jobId);
    return (await this.pages.removeWhere({ jobId })) + (existed ? 1 : 0);
  }

  private async putPage(jobId: string, page: number, segments: Segment[]): Promise<void> {
    const document = { id: pageId(jobId, page), createdAt: this.clock.now().toISOString(), jobId, segments };
    await this.pages.update(document.id, () => ({ document }));
  }
}
