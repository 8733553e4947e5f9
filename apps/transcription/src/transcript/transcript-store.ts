import { setImmediate } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { NewEvent } from '@parlance/contracts';
import { notFound, type Clock } from '@parlance/platform';
import { CLOCK, DOCUMENTS } from '@parlance/runtime';
import type { Change, DocumentCollection, DocumentDatabase } from '@parlance/storage';
import { assignSpeakers, type Segment, type SpeakerTurn } from '@parlance/transcript';
import { pageId, PAGES, SEGMENTS_PER_PAGE, TRANSCRIPTS, type TranscriptDocument, type TranscriptPage } from './transcript-documents.js';

export interface StoredPages {
  segmentCount: number;
  wordCount: number;
  pageCount: number;
}

/** Transcripts in pages, so that ten hours are never in memory at once. */
@Injectable()
export class TranscriptStore {
  private readonly transcripts: DocumentCollection<TranscriptDocument>;
  private readonly pages: DocumentCollection<TranscriptPage>;

  constructor(
    @Inject(DOCUMENTS) documents: DocumentDatabase,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.transcripts = documents.collection(TRANSCRIPTS);
    this.pages = documents.collection(PAGES);
  }

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

  /** Writes the pages over those of an attempt that was interrupted. They are not read before the transcript is completed. */
  async writePages(jobId: string, segments: AsyncIterable<Segment>, turns: readonly SpeakerTurn[]): Promise<StoredPages> {
    const written = { segmentCount: 0, wordCount: 0, pageCount: 0 };
    let held: Segment[] = [];
    const flush = async () => {
      written.segmentCount += await this.putPage(jobId, written.pageCount, held, turns);
      written.pageCount++;
      held = [];
    };
    for await (const segment of segments) {
      held.push(segment);
      written.wordCount += segment.words.length;
      if (held.length === SEGMENTS_PER_PAGE) await flush();
    }
    if (held.length > 0) await flush();
    return written;
  }

  /** Gives the words of every page their speakers; interrupted, it is done again. @returns how many segments there are now. */
  async assignSpeakers(transcript: Pick<TranscriptDocument, 'id' | 'pageCount'>, turns: readonly SpeakerTurn[]): Promise<number> {
    let [segmentCount, page] = [0, 0];
    for await (const segments of this.readPages(transcript)) segmentCount += await this.putPage(transcript.id, page++, segments, turns);
    return segmentCount;
  }

  /** Changes what is said of the transcript as a whole. @returns it as it is then; undefined when there is none. */
  async update(jobId: string, change: (current: TranscriptDocument) => ReturnType<Change<TranscriptDocument>>): Promise<TranscriptDocument | undefined> {
    const { stored } = await this.transcripts.update(jobId, (current) => current && change(current));
    return stored?.document;
  }

  /**
   * The one write that makes the transcript visible, with its event; again with the event of a newer run of the job.
   * @returns whether this call did it.
   */
  async complete(transcript: TranscriptDocument, events: NewEvent[]): Promise<boolean> {
    const { run } = transcript;
    const { changed } = await this.transcripts.update(transcript.id, (current) =>
      current && current.run >= run ? undefined : { document: current ? { ...current, run } : transcript, events },
    );
    return changed;
  }

  /** Publishes events about the transcript of this run once more. @returns whether there is one */
  async announceAgain(jobId: string, run: number, events: (transcript: TranscriptDocument) => NewEvent[]): Promise<boolean> {
    const { changed } = await this.transcripts.update(jobId, (current) => (current?.run === run ? { document: current, events: events(current) } : undefined));
    return changed;
  }

  /** @returns the number of documents */
  async count(jobId: string): Promise<number> {
    return (await this.pages.count({ jobId })) + ((await this.transcripts.get(jobId)) ? 1 : 0);
  }

  async remove(jobId: string): Promise<void> {
    await this.transcripts.remove(jobId);
    await this.pages.removeWhere({ jobId });
  }

  /** A page has all parts of a segment that is split. @returns how many segments it has. */
  private async putPage(jobId: string, page: number, segments: Segment[], turns: readonly SpeakerTurn[]): Promise<number> {
    const spoken: Segment[] = [];
    for await (const segment of assignSpeakers(segments, turns)) spoken.push(segment);
    const document = { id: pageId(jobId, page), createdAt: this.clock.now().toISOString(), jobId, segments: spoken };
    await this.pages.update(document.id, () => ({ document }));
    return spoken.length;
  }
}
