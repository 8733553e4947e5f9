import { events, type NewEvent } from '@parlance/contracts';
import { TimeSlices, type Clock, type Logger } from '@parlance/platform';
import type { Segment } from '@parlance/transcript';
import { speakerNow } from '../transcript/spoken-view.js';
import type { RevisionAction, RevisionEntry, TranscriptDocument } from '../transcript/transcript-documents.js';
import type { TranscriptStore } from '../transcript/transcript-store.js';
import type { EditedPages } from './edited-pages.js';
import { changedSegments, hunksBetween } from './page-changes.js';
import { newestOf } from './revision-reader.js';
import { TalkTimes } from './talk-times.js';
import { requireRoomForWords, requireRoomOnPage, textLength, wordCount } from './text-bounds.js';

/** Revisions whose changes are kept, so that they can be read and restored. */
const MAX_REVISIONS = 100;
/** The part of an account's bytes for changes that one transcript may have. */
const SHARE_OF_TRANSCRIPT = 1 / 4;

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
  private readonly slices = new TimeSlices();
  private changed = 0;
  private bytes = 0;
  private segmentCount: number;
  private wordCount: number;

  constructor(
    private readonly transcript: TranscriptDocument,
    private readonly edited: EditedPages,
    /** Reads a page as it was recognized. */
    private readonly recognized: (page: number) => Promise<Segment[]>,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {
    this.talkTimes = new TalkTimes(speakerNow(transcript));
    ({ segmentCount: this.segmentCount, wordCount: this.wordCount } = transcript);
  }

  get changedSegments(): number {
    return this.changed;
  }

  /** @throws AppError invalid when the page would be too long */
  async requireRoom(page: number, before: readonly Segment[], after: readonly Segment[]): Promise<void> {
    requireRoomOnPage(textLength(before), textLength(after));
    await requireRoomForWords(wordCount(before), wordCount(after), async () => wordCount(await this.recognized(page)));
  }

  /** Stores a page as it is in this revision, unless it is as before. @throws AppError invalid */
  async write(page: number, before: readonly Segment[], after: Segment[]): Promise<void> {
    await this.slices.next();
    const hunks = hunksBetween(before, after);
    if (hunks.length === 0) return;
    await this.requireRoom(page, before, after);
    await this.slices.next();
    const { id, bytes } = await this.edited.write(this.transcript, page, after, hunks);
    this.pages[page] = id;
    this.changes[page] = id;
    this.bytes += bytes;
    this.changed += changedSegments(hunks);
    this.segmentCount += after.length - before.length;
    this.wordCount += wordCount(after) - wordCount(before);
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
    const room = await this.room();
    let former: TranscriptDocument | undefined;
    const stored = await transcripts.update(this.transcript.id, (current) => {
      former = isSameText(current, this.transcript) ? current : undefined;
      if (!former) return undefined;
      const entry = this.entryOf(newestOf(former) + 1, origin);
      const document = { ...this.revised(former, entry, room), splits };
      return { document, events: [transcriptEdited(document, entry)] };
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

  /** Bytes for the changes of this transcript, among those of the account. */
  private async room(): Promise<number> {
    const { accountId, revisions = [] } = this.transcript;
    const { usedBytes, limitBytes } = await this.edited.storageOf(accountId);
    const ofOthers = usedBytes - this.bytes - revisions.reduce((sum, { bytes }) => sum + bytes, 0);
    return Math.min(limitBytes * SHARE_OF_TRANSCRIPT, limitBytes - ofOthers);
  }

  private entryOf(revision: number, { keyId, action, restored }: RevisionOrigin): RevisionEntry {
    return {
      revision,
      at: this.clock.now().toISOString(),
      ...(keyId !== undefined && { keyId }),
      action,
      ...(restored !== undefined && { restored }),
      changedSegments: this.changed,
      bytes: this.bytes,
      changes: this.changes,
    };
  }

  /** @param room bytes for the changes that are kept. Where those of the new revision are more, no earlier one can be read any more. */
  private revised(current: TranscriptDocument, entry: RevisionEntry, room: number): TranscriptDocument {
    const { revision, bytes } = entry;
    const kept = bytes > room ? { revisions: [{ ...entry, bytes: 0, changes: {} }], revisionsFrom: revision } : { revisions: newestWithin(room, [...(current.revisions ?? []), entry]) };
    return {
      ...current,
      ...kept,
      version: current.version + 1,
      revision,
      editedPages: { ...current.editedPages, ...this.pages },
      speakers: this.talkTimes.appliedTo(current.speakers, current.merges),
      segmentCount: this.segmentCount,
      wordCount: this.wordCount,
    };
  }

  private async removeSuperseded(former: TranscriptDocument, stored: TranscriptDocument): Promise<void> {
    const pages = Object.keys(this.pages).flatMap((page) => former.editedPages?.[page] ?? []);
    const changes = (former.revisions ?? []).flatMap((entry) => Object.values(entry.changes));
    await this.edited.removeUnreferenced({ pages, changes: [...changes, ...Object.values(this.changes)] }, stored);
  }
}

/** Renaming and merging speakers meanwhile changes nothing of the pages. */
const isSameText = (current: TranscriptDocument | undefined, read: TranscriptDocument): boolean =>
  current !== undefined && newestOf(current) === newestOf(read) && current.planRun === read.planRun && current.turns?.turnsKey === read.turns?.turnsKey;

/** @param revisions oldest first */
function newestWithin(room: number, revisions: readonly RevisionEntry[]): RevisionEntry[] {
  let bytes = 0;
  const isOver = (entry: RevisionEntry) => (bytes += entry.bytes) > room;
  return revisions.slice(Math.max(0, revisions.length - MAX_REVISIONS, revisions.findLastIndex(isOver) + 1));
}

function transcriptEdited({ id: jobId, accountId, version }: TranscriptDocument, { revision, keyId, action, changedSegments }: RevisionEntry): NewEvent {
  return { type: 'transcript.edited', data: events.TranscriptEdited.fromPartial({ jobId, accountId, version, revision, keyId, action, changedSegments }) };
}
