import { Inject, Injectable } from '@nestjs/common';
import { TimeSlices, type Clock, type IdGenerator } from '@parlance/platform';
import { CLOCK, DOCUMENTS, ID_GENERATOR } from '@parlance/runtime';
import { type CollectionDefinition, type Document, type DocumentCollection, type DocumentDatabase, jsonBytes, ownerOfPart } from '@parlance/storage';
import type { Segment } from '@parlance/transcript';
import { pageId, type TranscriptDocument } from '../transcript/transcript-documents.js';
import type { Hunk } from './page-changes.js';

/** A page after an edit. It is never changed: the next edit of the page writes another document. */
interface EditedPage extends Document {
  jobId: string;
  /** Absent in a page of a version before. */
  accountId?: string;
  segments: Segment[];
}

/** The changes of one page by one revision. */
interface PageChanges extends Document {
  jobId: string;
  /** Absent in changes of a version before. */
  accountId?: string;
  hunks: Hunk[];
  /** The size of the hunks as JSON. */
  bytes: number;
}

const EDITED_PAGES: CollectionDefinition<EditedPage> = {
  name: 'edited_pages',
  data: { what: 'edited text', purpose: 'corrections by users', kept: 'with the job' },
  indexes: [{ fields: ['jobId'] }],
  sealed: { fields: ['segments'], owner: ownerOfPart },
};
export const PAGE_CHANGES: CollectionDefinition<PageChanges> = {
  name: 'page_changes',
  data: { what: 'revisions: what was edited, when, by which key', purpose: 'history of corrections', kept: 'with the job' },
  indexes: [{ fields: ['jobId'] }, { fields: ['accountId'], orderBy: 'bytes' }],
  sealed: { fields: ['hunks'], owner: ownerOfPart },
};

/** Bytes of the changes that an account may keep. */
const MAX_CHANGES_BYTES = 256 * 1024 ** 2;

type References = Pick<TranscriptDocument, 'editedPages' | 'revisions'>;

/** Milliseconds after which a page to which no transcript refers is one of an edit that was interrupted; an edit takes seconds. */
const ABANDONED_AFTER_MS = 10 * 60_000;

/** Stores edited pages and what each revision changed. They count from the commit of the transcript's document that refers to them. */
@Injectable()
export class EditedPages {
  private readonly pages: DocumentCollection<EditedPage>;
  private readonly changes: DocumentCollection<PageChanges>;

  constructor(
    @Inject(DOCUMENTS) documents: DocumentDatabase,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(ID_GENERATOR) private readonly ids: IdGenerator,
  ) {
    this.pages = documents.collection(EDITED_PAGES);
    this.changes = documents.collection(PAGE_CHANGES);
  }

  /** @returns undefined when a later revision has taken its place, or the transcript is erased */
  async page(id: string): Promise<Segment[] | undefined> {
    return (await this.pages.get(id))?.document.segments;
  }

  async hunks(id: string): Promise<Hunk[] | undefined> {
    return (await this.changes.get(id))?.document.hunks;
  }

  /** @returns the id of the page and of its changes, and the bytes of these; 0 where there are none to be kept */
  async write({ id: jobId, accountId }: Pick<TranscriptDocument, 'id' | 'accountId'>, page: number, segments: Segment[], hunks: Hunk[] = []): Promise<{ id: string; bytes: number }> {
    const id = `${pageId(jobId, page)}/${this.ids.next('rev')}`;
    const createdAt = this.clock.now().toISOString();
    await this.pages.insert({ id, createdAt, jobId, accountId, segments });
    if (hunks.length === 0) return { id, bytes: 0 };
    await new TimeSlices().next();
    const bytes = jsonBytes(hunks);
    await this.changes.insert({ id, createdAt, jobId, accountId, hunks, bytes });
    return { id, bytes };
  }

  /** Bytes of the changes of an account's transcripts, and the most that they may be. */
  async storageOf(accountId: string): Promise<{ usedBytes: number; limitBytes: number }> {
    return { usedBytes: await this.changes.sum('bytes', { accountId }), limitBytes: MAX_CHANGES_BYTES };
  }

  async removePages(ids: readonly string[]): Promise<void> {
    for (const id of ids) await this.pages.remove(id);
  }

  async removeChanges(ids: readonly string[]): Promise<void> {
    for (const id of ids) await this.changes.remove(id);
  }

  /** Removes those pages and changes to which a transcript, as it is now, does not refer. */
  async removeUnreferenced({ pages, changes = [] }: { pages: readonly string[]; changes?: readonly string[] }, transcript: References | undefined): Promise<void> {
    const wanted = referencesOf(transcript ?? {});
    await this.removePages(pages.filter((id) => !wanted.pages.has(id)));
    await this.removeChanges(changes.filter((id) => !wanted.changes.has(id)));
  }

  /** Removes what edits left behind that were interrupted before their commit, or after it. */
  async sweep({ id: jobId, ...references }: Pick<TranscriptDocument, 'id'> & References): Promise<void> {
    const before = new Date(this.clock.now().getTime() - ABANDONED_AFTER_MS).toISOString();
    const { pages, changes } = referencesOf(references);
    await removeOthers(this.pages, jobId, before, pages);
    await removeOthers(this.changes, jobId, before, changes);
  }

  async count(jobId: string): Promise<number> {
    return (await this.pages.count({ jobId })) + (await this.changes.count({ jobId }));
  }

  async remove(jobId: string): Promise<void> {
    await this.pages.removeWhere({ jobId });
    await this.changes.removeWhere({ jobId });
  }
}

const referencesOf = ({ editedPages = {}, revisions = [] }: References): { pages: ReadonlySet<string>; changes: ReadonlySet<string> } => ({
  pages: new Set(Object.values(editedPages)),
  changes: new Set(revisions.flatMap((entry) => Object.values(entry.changes))),
});

async function removeOthers<D extends Document>(collection: DocumentCollection<D>, jobId: string, before: string, wanted: ReadonlySet<string>): Promise<void> {
  for await (const { document } of collection.all({ where: { jobId }, range: { field: 'createdAt', lt: before }, pageSize: 5 })) {
    if (!wanted.has(document.id)) await collection.remove(document.id);
  }
}
