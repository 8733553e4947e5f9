import { Controller, Inject } from '@nestjs/common';
import type { CallOptions, transcription, TranscriptService } from '@parlance/contracts';
import { AppError, notFound } from '@parlance/platform';
import type { Segment } from '@parlance/transcript';
import { EditedPages } from '../editing/edited-pages.js';
import { RevisionReader, isKept, newestOf } from '../editing/revision-reader.js';
import type { SegmentOperation } from '../editing/segment-operation.js';
import { SpokenTranscripts } from '../editing/spoken-transcripts.js';
import { FirstChanges, type Hunk } from '../editing/page-changes.js';
import { pageOf } from '../editing/transcript-draft.js';
import { TranscriptEditor } from '../editing/transcript-editor.js';
import { spokenView } from '../transcript/spoken-view.js';
import type { RevisionEntry, TranscriptDocument } from '../transcript/transcript-documents.js';

type Editing = 'getSegment' | 'editTranscript' | 'replaceText' | 'restoreRevision' | 'listRevisions' | 'getRevision' | 'getRevisionStorage';

/** The part of TranscriptService that edits. A transcript of another account is not found, as one that does not exist. */
@Controller()
export class EditingController implements Pick<TranscriptService, Editing> {
  constructor(
    @Inject(SpokenTranscripts) private readonly transcripts: SpokenTranscripts,
    @Inject(RevisionReader) private readonly reader: RevisionReader,
    @Inject(TranscriptEditor) private readonly editor: TranscriptEditor,
    @Inject(EditedPages) private readonly edited: EditedPages,
  ) {}

  async getSegment(request: transcription.GetSegmentRequest): Promise<transcription.GetSegmentResponse> {
    const transcript = await this.transcripts.find(request);
    const page = pageOf(request.segmentId);
    const segments = page === undefined || page >= transcript.pageCount ? [] : await this.reader.page(transcript, page);
    const found = segments.find(({ segmentId }) => segmentId === request.segmentId);
    if (!found) throw notFound('The segment');
    return { segment: spokenView(transcript)(found), revision: newestOf(transcript) };
  }

  async editTranscript(request: transcription.EditTranscriptRequest, { signal }: CallOptions = {}): Promise<transcription.EditTranscriptResponse> {
    const { transcript, segments, changedSegments } = await this.editor.edit({ ...request, signal }, request.operations.map(operationOf));
    return { revision: newestOf(transcript), segments: segments.map(spokenView(transcript)), changedSegments };
  }

  async replaceText(request: transcription.ReplaceTextRequest, { signal }: CallOptions = {}): Promise<transcription.ReplaceTextResponse> {
    const { transcript, matches, changedSegments, changes } = await this.editor.replace({ ...request, signal }, request);
    return { revision: newestOf(transcript), matches, changedSegments, changes: changes.map((hunk) => changeMessage(hunk, transcript)) };
  }

  async restoreRevision(request: transcription.RestoreRevisionRequest, { signal }: CallOptions = {}): Promise<transcription.RestoreRevisionResponse> {
    const { transcript, changedSegments } = await this.editor.restore({ ...request, signal }, request.revision);
    return { revision: newestOf(transcript), changedSegments };
  }

  async listRevisions(request: transcription.ListRevisionsRequest): Promise<transcription.ListRevisionsResponse> {
    const transcript = await this.transcripts.find(request);
    return { revisions: [...keptRevisions(transcript).toReversed().map(revisionMessage), recognized(transcript)] };
  }

  async getRevision(request: transcription.GetRevisionRequest): Promise<transcription.GetRevisionResponse> {
    const transcript = await this.transcripts.find(request);
    if (request.revision === 0) return { revision: recognized(transcript), changes: [] };
    const entry = keptRevisions(transcript).find(({ revision }) => revision === request.revision);
    if (!entry) throw notFound('The revision');
    const shown = new FirstChanges();
    for await (const hunk of this.reader.hunks(entry)) {
      shown.add(hunk);
      if (shown.isFull) break;
    }
    return { revision: revisionMessage(entry), changes: shown.hunks.map((hunk) => changeMessage(hunk, transcript)) };
  }

  getRevisionStorage({ accountId }: transcription.GetRevisionStorageRequest): Promise<transcription.GetRevisionStorageResponse> {
    return this.edited.storageOf(accountId);
  }
}

const keptRevisions = (transcript: TranscriptDocument): RevisionEntry[] => (transcript.revisions ?? []).filter(({ revision }) => isKept(transcript, revision));

/** @throws AppError invalid_request for an operation that this version does not know */
function operationOf({ operation }: transcription.EditOperation): SegmentOperation {
  switch (operation?.$case) {
    case 'edit':
      return { kind: 'edit', ...operation.value };
    case 'split': {
      const { segmentId, wordId, time = 0 } = operation.value;
      return { kind: 'split', segmentId, point: wordId === undefined ? { time } : { wordId } };
    }
    case 'merge':
      return { kind: 'merge', ...operation.value };
    case 'assignSpeaker':
      return { kind: 'assign_speaker', ...operation.value };
    case 'delete':
      return { kind: 'delete', ...operation.value };
    default:
      throw new AppError({ code: 'invalid_request', message: 'An operation is not known.' });
  }
}

const recognized = ({ createdAt }: TranscriptDocument): transcription.Revision => ({ revision: 0, createdAt: new Date(createdAt), action: 'recognized', changedSegments: 0 });

const revisionMessage = ({ revision, at, keyId, action, restored, changedSegments }: RevisionEntry): transcription.Revision => ({
  revision,
  createdAt: new Date(at),
  keyId,
  action,
  changedSegments,
  restoredRevision: restored,
});

function changeMessage({ before, after }: Hunk, transcript: TranscriptDocument): transcription.SegmentChange {
  const asSpoken = spokenView(transcript);
  const shown = (segments: readonly Segment[]) => segments.map((segment) => asSpoken({ ...segment, words: [] }));
  return { before: shown(before), after: shown(after) };
}
