import { Inject, Injectable } from '@nestjs/common';
import { AppError, notFound, requireMatch, TimeSlices, type Clock, type Logger } from '@parlance/platform';
import { CLOCK, LOGGER } from '@parlance/runtime';
import { JobErasure } from '@parlance/stage';
import type { Segment } from '@parlance/transcript';
import { speakerNow } from '../transcript/spoken-view.js';
import type { TranscriptDocument } from '../transcript/transcript-documents.js';
import { TranscriptStore } from '../transcript/transcript-store.js';
import { EditedPages } from './edited-pages.js';
import { changedSegments, FirstChanges, hunksBetween, type Hunk } from './page-changes.js';
import { newestOf, requireKept, RevisionReader } from './revision-reader.js';
import { RevisionWriter, type RevisionOrigin } from './revision-writer.js';
import { OperationRefused, type SegmentOperation } from './segment-operation.js';
import { replaceOnPage, type Replacement } from './text-replacement.js';
import { TranscriptDraft } from './transcript-draft.js';

/** A request for a change. */
interface EditRequest {
  accountId: string;
  jobId: string;
  keyId?: string | undefined;
  /** Revisions that the caller has read; empty: any. */
  ifMatch: readonly string[];
  /** Once it is aborted, nothing is changed any more. */
  signal?: AbortSignal | undefined;
}

interface Replacing extends Replacement {
  dryRun: boolean;
}

interface Replaced {
  transcript: TranscriptDocument;
  matches: number;
  changedSegments: number;
  /** The changes of the first segments. */
  changes: Hunk[];
}

/** Attempts to apply an edit while other editors change the same transcript. */
const TRIES = 20;

/** Work on a revision: it writes pages and has a result for the caller. */
interface Edit<Result> {
  origin: Omit<RevisionOrigin, 'keyId'>;
  make(transcript: TranscriptDocument, writer: RevisionWriter): Promise<{ result: Result; splits?: number }>;
}

/** Changes the text of transcripts. Each change is a new revision; of two editors at once the second one's edit is applied to the revision of the first. */
@Injectable()
export class TranscriptEditor {
  constructor(
    @Inject(TranscriptStore) private readonly transcripts: TranscriptStore,
    @Inject(EditedPages) private readonly edited: EditedPages,
    @Inject(RevisionReader) private readonly reader: RevisionReader,
    @Inject(JobErasure) private readonly erasure: JobErasure,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /**
   * Applies all operations, or none.
   * @returns the transcript afterwards, and the segments that are new or changed
   * @throws AppError not_found, precondition_failed, invalid with the field of the operation that cannot be done
   */
  async edit(request: EditRequest, operations: readonly SegmentOperation[]): Promise<{ transcript: TranscriptDocument; segments: Segment[]; changedSegments: number }> {
    const { transcript, result, changedSegments } = await this.revise<Segment[]>(request, {
      origin: { action: 'edited' },
      make: async (read, writer) => {
        const draft = this.draftOf(read);
        const slices = new TimeSlices(request.signal);
        await applyAll(draft, operations, slices);
        const segments: Segment[] = [];
        for (const { page, before, after } of draft.changedPages()) {
          await writer.write(page, before, after);
          const known = new Set(before);
          segments.push(...after.filter((segment) => !known.has(segment)));
          await slices.next();
        }
        return { result: segments, splits: draft.splits };
      },
    });
    return { transcript, segments: result, changedSegments };
  }

  /** Replaces a text in all segments, or says what it would replace. @throws AppError not_found, precondition_failed */
  async replace(request: EditRequest, replacing: Replacing): Promise<Replaced> {
    const { transcript, result, changedSegments } = await this.revise<Pick<Replaced, 'matches' | 'changes'> & { changed: number }>(request, {
      origin: { action: 'replaced' },
      make: async (read, writer) => ({ result: await this.replaceIn(read, replacing, writer, new TimeSlices(request.signal)) }),
    });
    return { transcript, matches: result.matches, changes: result.changes, changedSegments: replacing.dryRun ? result.changed : changedSegments };
  }

  /** Makes a new revision with the text of an earlier one. @throws AppError not_found, precondition_failed */
  async restore(request: EditRequest, revision: number): Promise<{ transcript: TranscriptDocument; changedSegments: number }> {
    return this.revise<undefined>(request, {
      origin: { action: 'restored', restored: revision },
      make: async (read, writer) => {
        requireKept(read, revision);
        const slices = new TimeSlices(request.signal);
        for (let page = 0; page < read.pageCount; page++) {
          if (!isEditedSince(read, page, revision)) continue;
          await slices.next();
          await writer.write(page, await this.reader.page(read, page), await this.reader.page(read, page, revision));
        }
        return { result: undefined };
      },
    });
  }

  /** Removes what interrupted edits left behind. */
  async sweep(jobId: string): Promise<void> {
    const transcript = await this.transcripts.get(jobId);
    if (transcript) await this.edited.sweep(transcript);
  }

  private async revise<Result>(request: EditRequest, { origin, make }: Edit<Result>): Promise<{ transcript: TranscriptDocument; result: Result; changedSegments: number }> {
    const { jobId, accountId, keyId, signal } = request;
    for (let tries = 0; tries < TRIES; tries++) {
      const read = await this.transcripts.get(jobId);
      if (read?.accountId !== accountId) throw notFound('The transcript');
      requireMatch(request.ifMatch, String(newestOf(read)));
      const writer = new RevisionWriter(read, this.edited, (page) => this.reader.page(read, page, 0), this.clock, this.log);
      const transcript = await this.committed(writer, { ...origin, keyId }, () => untilAborted(make(read, writer), signal), read);
      await this.erasure.removeIfErased({ jobId, accountId });
      if (transcript) return { ...transcript, changedSegments: writer.changedSegments };
    }
    throw new AppError({ kind: 'conflict', code: 'invalid_state', reason: 'concurrent_change', message: 'Other edits are changing the same transcript.', retryable: true });
  }

  private async committed<Result>(
    writer: RevisionWriter,
    origin: RevisionOrigin,
    make: () => Promise<{ result: Result; splits?: number }>,
    read: TranscriptDocument,
  ): Promise<{ transcript: TranscriptDocument; result: Result } | undefined> {
    const { result, splits = read.splits ?? 0 } = await make().catch(async (error: unknown) => {
      await writer.discard();
      throw error;
    });
    const transcript = writer.changedSegments === 0 ? read : await writer.commit(this.transcripts, origin, splits);
    return transcript && { transcript, result };
  }

  private async replaceIn(read: TranscriptDocument, { dryRun, ...replacement }: Replacing, writer: RevisionWriter, slices: TimeSlices): Promise<{ matches: number; changes: Hunk[]; changed: number }> {
    const draft = this.draftOf(read);
    const shown = new FirstChanges();
    const found = { matches: 0, changes: shown.hunks, changed: 0 };
    for (let page = 0; page < read.pageCount; page++) {
      found.matches += await replaceOnPage(draft, page, replacement, slices);
      for (const { before, after } of draft.changedPages()) {
        await (dryRun ? writer.requireRoom(page, before, after) : writer.write(page, before, after));
        const hunks = hunksBetween(before, after);
        found.changed += changedSegments(hunks);
        for (const hunk of hunks) shown.add(hunk);
      }
      draft.release(page);
      await slices.next();
    }
    return found;
  }

  private draftOf(read: TranscriptDocument): TranscriptDraft {
    return new TranscriptDraft({
      pageCount: read.pageCount,
      revision: newestOf(read) + 1,
      splits: read.splits ?? 0,
      speakerIds: new Set(read.speakers.map(({ speakerId }) => speakerId)),
      speakerOf: speakerNow(read),
      load: (page) => this.reader.page(read, page),
    });
  }
}

/** @throws the signal's reason when it is aborted at the end of the work */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  const made = await work;
  signal?.throwIfAborted();
  return made;
}

const isEditedSince = ({ editedPages = {}, revisions = [] }: TranscriptDocument, page: number, revision: number): boolean =>
  revision === 0 ? page in editedPages : revisions.some((entry) => entry.revision > revision && page in entry.changes);

/** @throws AppError invalid, with the place in the list of operations */
async function applyAll(draft: TranscriptDraft, operations: readonly SegmentOperation[], slices: TimeSlices): Promise<void> {
  for (const [index, operation] of operations.entries()) {
    try {
      await draft.apply(operation);
    } catch (error) {
      if (!(error instanceof OperationRefused)) throw error;
      const { field, code, message } = error;
      const pointer = `/operations/${index}/${field}`;
      throw new AppError({ code: 'invalid_request', message: `${pointer}: ${message}`, fields: [{ pointer, code, detail: message }], cause: error });
    }
    await slices.next();
  }
}
