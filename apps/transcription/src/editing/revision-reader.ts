import { Inject, Injectable } from '@nestjs/common';
import { notFound, Slots, TimeSlices } from '@parlance/platform';
import type { Segment } from '@parlance/transcript';
import type { RevisionEntry, TranscriptDocument } from '../transcript/transcript-documents.js';
import { TranscriptStore } from '../transcript/transcript-store.js';
import { EditedPages } from './edited-pages.js';
import { undone, type Hunk } from './page-changes.js';

/** Pages that are opened at a time: each is a megabyte of JSON at most, and all that are opened in one turn of the event loop hold it together. */
const PAGES_AT_A_TIME = 2;

/** Attempts to read a page of which newer revisions are written meanwhile. */
const TRIES = 10;

/** Reads the text of a transcript as it is, or as it was in an earlier revision. */
@Injectable()
export class RevisionReader {
  private readonly slots = new Slots(PAGES_AT_A_TIME);

  constructor(
    @Inject(TranscriptStore) private readonly transcripts: TranscriptStore,
    @Inject(EditedPages) private readonly edited: EditedPages,
  ) {}

  /**
   * Segments in order, a page at a time. An edit meanwhile changes nothing of what is read.
   * @param from the first page
   * @throws AppError not_found when the revision is not kept, or the transcript is erased while it is read
   */
  async *readPages(transcript: TranscriptDocument, revision = newestOf(transcript), from = 0): AsyncGenerator<Segment[]> {
    requireKept(transcript, revision);
    for (let page = from; page < transcript.pageCount; page++) yield await this.page(transcript, page, revision);
  }

  /** @throws AppError not_found */
  page(transcript: TranscriptDocument, page: number, revision = newestOf(transcript)): Promise<Segment[]> {
    return this.slots.run(async () => {
      await new TimeSlices().next();
      return this.opened(transcript, page, revision);
    });
  }

  private async opened(transcript: TranscriptDocument, page: number, revision: number): Promise<Segment[]> {
    let current: TranscriptDocument | undefined = transcript;
    for (let tries = 0; tries < TRIES && current; tries++) {
      const segments = await this.pageIn(current, page, revision);
      if (segments) return segments;
      current = await this.transcripts.get(transcript.id);
    }
    throw notFound(current ? 'The revision' : 'The transcript');
  }

  /** The changes of a revision, in the order of the transcript. @throws AppError not_found */
  async *hunks({ changes }: RevisionEntry): AsyncGenerator<Hunk> {
    for (const page of Object.keys(changes).toSorted((one, other) => Number(one) - Number(other))) {
      const hunks = await this.edited.hunks(changes[page] ?? '');
      if (!hunks) throw notFound('The revision');
      yield* hunks;
    }
  }

  /** @returns undefined when a part of it was removed by a later edit */
  private async pageIn(transcript: TranscriptDocument, page: number, revision: number): Promise<Segment[] | undefined> {
    const { id, editedPages = {}, revisions = [] } = transcript;
    if (revision === 0) return this.transcripts.page(id, page);
    const editedId = editedPages[page];
    let segments = editedId === undefined ? await this.transcripts.page(id, page) : await this.edited.page(editedId);
    const later = revisions.flatMap((entry) => (entry.revision > revision ? (entry.changes[page] ?? []) : [])).toReversed();
    const slices = new TimeSlices();
    for (const changesId of later) {
      await slices.next();
      const hunks = await this.edited.hunks(changesId);
      segments = hunks && segments && undone(segments, hunks);
      if (!segments) return undefined;
    }
    return segments;
  }
}

export const newestOf = ({ revision = 0 }: Pick<TranscriptDocument, 'revision'>): number => revision;

/** @throws AppError not_found */
export function requireKept(transcript: TranscriptDocument, revision: number): void {
  if (!isKept(transcript, revision)) throw notFound('The revision');
}

/** True for revisions that can be read: the recognised text, the newest one, and those before it whose changes are kept. */
export function isKept({ revision: newest = 0, revisions = [], revisionsFrom = 0 }: Pick<TranscriptDocument, 'revision' | 'revisions' | 'revisionsFrom'>, revision: number): boolean {
  if (revision === 0 || revision === newest) return true;
  const oldest = (revisions[0]?.revision ?? newest + 1) - 1;
  return revision < newest && revision >= Math.max(oldest, revisionsFrom);
}
