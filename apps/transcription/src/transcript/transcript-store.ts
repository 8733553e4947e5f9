import { Inject, Injectable } from '@nestjs/common';
import type { NewEvent } from '@parlance/contracts';
import { notFound, TimeSlices, type Clock } from '@parlance/platform';
import { CLOCK, DOCUMENTS } from '@parlance/runtime';
import type { Change, DocumentCollection, DocumentDatabase } from '@parlance/storage';
import { assignSpeakers, endedAtSpeakers, type Segment } from '@parlance/transcript';
import { isNewer, PagesOvertaken, type PageInputs, type RunTurns } from './page-inputs.js';
import { pageId, PAGES, SEGMENTS_PER_PAGE, TRANSCRIPTS, type TranscriptDocument, type TranscriptPage } from './transcript-documents.js';
import { isEnglish } from './writer.js';

/** The inputs of pages that are written. */
interface PagesOrigin {
  accountId: string;
  planRun: number;
  turns?: RunTurns | undefined;
  /** True for segments whose punctuation is not the engine's, but of rules or a model; absent: for none. */
  isWrittenHere?: ((segment: Segment) => boolean) | undefined;
}

interface StoredPages {
  segmentCount: number;
  wordCount: number;
  pageCount: number;
  redacted: Record<string, number>;
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

  /** The segments of a page of the recognised text. @throws AppError not_found when the transcript is erased */
  async page(jobId: string, page: number): Promise<Segment[]> {
    const stored = await this.pages.get(pageId(jobId, page));
    if (!stored) throw notFound('The transcript');
    return stored.document.segments;
  }

  /** Recognised segments in order, a page at a time. @throws AppError not_found when the transcript is erased while it is read: what was read is not all of it */
  async *readPages(transcript: Pick<TranscriptDocument, 'id' | 'pageCount'>): AsyncGenerator<Segment[]> {
    for await (const { segments } of this.storedPages(transcript)) yield segments;
  }

  async *readSegments(transcript: Pick<TranscriptDocument, 'id' | 'pageCount'>): AsyncGenerator<Segment> {
    for await (const page of this.readPages(transcript)) yield* page;
  }

  /**
   * Writes the pages of a transcript that is not complete yet, over those of an attempt that was interrupted.
   * @throws PagesOvertaken
   */
  async writePages(jobId: string, segments: AsyncIterable<Segment>, { accountId, planRun, turns, isWrittenHere }: PagesOrigin): Promise<StoredPages> {
    const inputs = { planRun, turnsRun: turns?.run ?? 0 };
    const written = { wordCount: 0, pageCount: 0, redacted: {} as Record<string, number> };
    async function* pages(): AsyncGenerator<UnwrittenPage> {
      for await (const held of inPages(segments)) {
        for (const { words } of held) written.wordCount += words.length;
          countRedacted(held, written.redacted);
          yield { id: pageId(jobId, written.pageCount++), jobId, accountId, segments: held, inputs };
      }
    }
    const segmentCount = await this.putPages(pages(), turns?.spoken ?? [], isWrittenHere);
    return { segmentCount, ...written };
  }

  /** Gives the words of every page their speakers. After an interruption it is done again. @returns the number of segments afterwards. @throws PagesOvertaken */
  assignSpeakers(transcript: Pick<TranscriptDocument, 'id' | 'accountId' | 'pageCount' | 'formatting' | 'language'>, { run: turnsRun, spoken }: RunTurns): Promise<number> {
    const stored = this.storedPages(transcript);
    const { accountId } = transcript;
    async function* pages(): AsyncGenerator<UnwrittenPage> {
      for await (const { id, jobId, segments, inputs } of stored) yield { id, jobId, accountId, segments, inputs: { planRun: inputs?.planRun ?? 0, turnsRun } };
    }
    return this.putPages(pages(), spoken, isWrittenHere(transcript) ? isEnglish(transcript.language) : undefined);
  }

  /** Changes the document of the transcript. @returns it afterwards; undefined when there is none */
  async update(jobId: string, change: (current: TranscriptDocument) => ReturnType<Change<TranscriptDocument>>): Promise<TranscriptDocument | undefined> {
    const { stored } = await this.transcripts.update(jobId, (current) => current && change(current));
    return stored?.document;
  }

  /**
   * The one write that makes the transcript visible, with its event; again with the event of a newer run of the job.
   * @returns the transcript when this call changed it
   */
  async complete(transcript: TranscriptDocument, events: (completed: TranscriptDocument) => NewEvent[]): Promise<TranscriptDocument | undefined> {
    const { stored, changed } = await this.transcripts.update(transcript.id, (current) => {
      if (current && current.run >= transcript.run) return undefined;
      const document = completedAs(transcript, current);
      return { document, events: events(document) };
    });
    return changed ? stored?.document : undefined;
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

  private async *storedPages({ id, pageCount }: Pick<TranscriptDocument, 'id' | 'pageCount'>): AsyncGenerator<TranscriptPage> {
    const slices = new TimeSlices();
    for (let page = 0; page < pageCount; page++) {
      await slices.next();
      const stored = await this.pages.get(pageId(id, page));
      if (!stored) throw notFound('The transcript');
      yield stored.document;
    }
  }

  /**
   * Gives the words of pages their speakers and writes them, each once the beginning of the next one is known: the sentence at its end may
   * end there. A page has all parts of a segment that is split. @returns the number of segments. @throws PagesOvertaken
   */
  private async putPages(pages: AsyncIterable<UnwrittenPage>, turns: RunTurns['spoken'], isWritten: (segment: Segment) => boolean = () => false): Promise<number> {
    let segmentCount = 0;
    let held: UnwrittenPage | undefined;
    for await (const page of pages) {
      const spoken: Segment[] = [];
      for await (const segment of assignSpeakers(page.segments, turns)) spoken.push(segment);
      const { before, segments } = endedAtSpeakers(held?.segments.at(-1), spoken, isWritten);
      if (held) await this.putPage(before ? { ...held, segments: [...held.segments.slice(0, -1), before] } : held);
      held = { ...page, segments };
      segmentCount += segments.length;
    }
    if (held) await this.putPage(held);
    return segmentCount;
  }

  /** @throws PagesOvertaken */
  private async putPage(page: UnwrittenPage): Promise<void> {
    const document = { ...page, createdAt: this.clock.now().toISOString() };
    let isOvertaken = false;
    await this.pages.update(page.id, (current) => {
      isOvertaken = current !== undefined && isNewer(current.inputs, page.inputs);
      return isOvertaken ? undefined : { document };
    });
    if (isOvertaken) throw new PagesOvertaken();
  }
}

type UnwrittenPage = Omit<TranscriptPage, 'createdAt'> & { inputs: PageInputs };

/** True when the punctuation is of rules or a model, which knew no speakers. */
const isWrittenHere = ({ formatting }: Pick<TranscriptDocument, 'formatting'>): boolean => formatting === 'rules' || formatting === 'model';

async function* inPages(segments: AsyncIterable<Segment>): AsyncGenerator<Segment[]> {
  let held: Segment[] = [];
  for await (const segment of segments) {
    held.push(segment);
    if (held.length < SEGMENTS_PER_PAGE) continue;
    yield held;
    held = [];
  }
  if (held.length > 0) yield held;
}

/**
 * A transcript stays as it was completed first, unless its pages are of an older plan and have been written over. One without
 * `planRun` is that of a version before, read to be completed again for a later run: it has no new pages.
 */
function completedAs(transcript: TranscriptDocument, current: TranscriptDocument | undefined): TranscriptDocument {
  if (!current) return transcript;
  const isReplaced = transcript.planRun !== undefined && (current.planRun ?? current.run) < transcript.planRun;
  return isReplaced ? { ...transcript, version: current.version + 1 } : { ...current, run: transcript.run };
}

/** Adds the words that stand for redacted ones, by policy. */
function countRedacted(segments: readonly Segment[], counts: Record<string, number>): void {
  for (const { redacted } of segments.flatMap(({ words }) => words)) if (redacted !== undefined) counts[redacted] = (counts[redacted] ?? 0) + 1;
}
