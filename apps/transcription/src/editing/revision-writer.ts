import { events, type NewEvent } from '@parlance/contracts';
import type { Clock, Logger } from '@parlance/platform';
import type { Segment } from '@parlance/transcript';
import { speakerNow } from '../transcript/spoken-view.js';
import type { RevisionAction, RevisionEntry, TranscriptDocument } from '../transcript/transcript-documents.js';
import type { TranscriptStore } from '../transcript/transcript-store.js';
import type { EditedPages } from './edited-pages.js';
import { changedSegments, hunksBetween } from './page-changes.js';
import { newestOf } from './revision-reader.js';
import { TalkTimes } from './talk-times.js';
import { requireRoomOnPage, textLength } from './text-bounds.js';

/** Revisions whose changes are kept, so that they can be read and restored. */
const MAX_REVISIONS = 100;

/** The key that asks for a revision, and how it comes about. */
export interface RevisionOrigin {
  keyId: string | undefined;
  action: RevisionAction;
  restored?: number;
}

/**
 * Writes one revision. Its pages are stored first, under new ids; the commit of the transcript's document, together with the event,
 * makes them the transcript. A process that is killed before leaves the revision before, and pages that no transcript refers to.
 */
export class RevisionWriter {
  private readonly pages: Record<string, string> = {};
  private readonly changes: Record<string, string> = {};
  private readonly talkTimes: TalkTimes;
  private changed = 0;
  private segmentCount: number;
  private wordCount: number;

  constructor(
    private readonly transcript: TranscriptDocument,
    private readonly edited: EditedPages,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {
    this.talkTimes = new TalkTimes(speakerNow(transcript));
    ({ segmentCount: this.segmentCount, wordCount: this.wordCount } = transcript);
  }

  get changedSegments(): number {
    return this.changed;
  }

  /** Stores a page as it is in this revision, unless it is as before. */
  async write(page: number, before: readonly Segment[], after: Segment[]): Promise<void> {
    const hunks = hunksBetween(before, after);
    if (hunks.length === 0) return;
    requireRoomOnPage(textLength(before), textLength(after));
    const { pageId, changesId } = await this.edited.write(this.transcript, page, after, hunks);
    this.pages[page] = pageId;
    this.changes[page] = changesId;
    this.changed += changedSegments(hunks);
    this.segmentCount += after.length - before.length;
    this.wordCount += words(after) - words(before);
    for (const hunk of hunks) this.talkTimes.change(hunk.before, hunk.after);
  }

  /**
   * Pages that the outcome leaves without a transcript are removed.
   * @returns the transcript in its new revision; undefined when another revision came first, or the transcript is gone
   */
  async commit(transcripts: TranscriptStore, origin: RevisionOrigin, splits: number): Promise<TranscriptDocument | undefined> {
    const { former, stored } = await this.update(transcripts, origin, splits).catch(async (error: unknown) => {
      await this.cleanUp(() => this.discardUnreferenced(transcripts));
      throw error;
    });
    if (former && stored) await this.cleanUp(() => this.removeSuperseded(former, stored));
    else await this.cleanUp(() => this.edited.removeUnreferenced(this.written, stored));
    return former && stored;
  }

  /** Removes what was written for a revision that was not committed. */
  async discard(): Promise<void> {
    await this.cleanUp(() => this.edited.removeUnreferenced(this.written, undefined));
  }

  private get written(): { pages: string[]; changes: string[] } {
    return { pages: Object.values(this.pages), changes: Object.values(this.changes) };
  }

  private async update(transcripts: TranscriptStore, origin: RevisionOrigin, splits: number): Promise<{ former: TranscriptDocument | undefined; stored: TranscriptDocument | undefined }> {
    let former: TranscriptDocument | undefined;
    const stored = await transcripts.update(this.transcript.id, (current) => {
      former = isSameText(current, this.transcript) ? current : undefined;
      if (!former) return undefined;
      const document = { ...this.revised(former, origin), splits };
      return { document, events: [transcriptEdited(document)] };
    });
    return { former, stored };
  }

  /** After an error the transcript may have been written all the same. */
  private async discardUnreferenced(transcripts: TranscriptStore): Promise<void> {
    await this.edited.removeUnreferenced(this.written, await transcripts.get(this.transcript.id));
  }

  /** An edit does not depend on it: the sweep removes what remains. */
  private async cleanUp(remove: () => Promise<void>): Promise<void> {
    try {
      await remove();
    } catch (error) {
      this.log.warn({ job_id: this.transcript.id, err: error }, 'pages of an edit not removed');
    }
  }

  private revised(current: TranscriptDocument, { keyId, action, restored }: RevisionOrigin): TranscriptDocument {
    const revision = newestOf(current) + 1;
    const entry: RevisionEntry = {
      revision,
      at: this.clock.now().toISOString(),
      ...(keyId !== undefined && { keyId }),
      action,
      ...(restored !== undefined && { restored }),
      changedSegments: this.changed,
      changes: this.changes,
    };
    return {
      ...current,
      version: current.version + 1,
      revision,
      editedPages: { ...current.editedPages, ...this.pages },
      revisions: [...(current.revisions ?? []), entry].slice(-MAX_REVISIONS),
      speakers: this.talkTimes.appliedTo(current.speakers, current.merges),
      segmentCount: this.segmentCount,
      wordCount: this.wordCount,
    };
  }

  private async removeSuperseded(former: TranscriptDocument, { revisions = [] }: TranscriptDocument): Promise<void> {
    const formerPages = Object.keys(this.pages).flatMap((page) => former.editedPages?.[page] ?? []);
    await this.edited.removePages(formerPages);
    const oldest = revisions[0]?.revision ?? 0;
    const dropped = (former.revisions ?? []).filter(({ revision }) => revision < oldest);
    await this.edited.removeChanges(dropped.flatMap(({ changes }) => Object.values(changes)));
  }
}

/** Renaming and merging speakers meanwhile changes nothing of the pages. */
const isSameText = (current: TranscriptDocument | undefined, read: TranscriptDocument): boolean =>
  current !== undefined && newestOf(current) === newestOf(read) && current.planRun === read.planRun && current.turns?.turnsKey === read.turns?.turnsKey;

function transcriptEdited({ id: jobId, accountId, version, revision = 0, revisions = [] }: TranscriptDocument): NewEvent {
  const entry = revisions.at(-1);
  const data = events.TranscriptEdited.fromPartial({ jobId, accountId, version, revision, keyId: entry?.keyId, action: entry?.action ?? 'edited', changedSegments: entry?.changedSegments ?? 0 });
  return { type: 'transcript.edited', data };
}

const words = (segments: readonly Segment[]): number => segments.reduce((sum, segment) => sum + segment.words.length, 0);
