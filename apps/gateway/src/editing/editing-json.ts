import type { transcription } from '@parlance/contracts';
import { segmentJson } from '@parlance/transcript';
import { present } from '../http/schema.js';
import { timeText } from '../transcriptions/job-json.js';
import type { OperationJson } from './editing-schema.js';

type OperationMessage = NonNullable<transcription.EditOperation['operation']>;

/** An operation of a request for the service that owns transcripts. */
export const operationMessage = (json: OperationJson): transcription.EditOperation => ({ operation: operationOf(json) });

function operationOf(json: OperationJson): OperationMessage {
  switch (json.op) {
    case 'edit':
      return { $case: 'edit', value: { segmentId: json.segment_id, text: json.text, speakerId: json.speaker_id } };
    case 'split':
      return { $case: 'split', value: { segmentId: json.segment_id, wordId: json.word_id, time: json.time } };
    case 'merge':
      return { $case: 'merge', value: { segmentIds: json.segment_ids } };
    case 'assign_speaker':
      return { $case: 'assignSpeaker', value: { segmentIds: json.segment_ids, speakerId: json.speaker_id } };
    case 'delete':
      return { $case: 'delete', value: { segmentId: json.segment_id } };
  }
}

const changeJson = ({ before, after }: transcription.SegmentChange) => ({ before: before.map((segment) => segmentJson(segment)), after: after.map((segment) => segmentJson(segment)) });

export const replacedJson = ({ revision, matches, changedSegments, changes }: transcription.ReplaceTextResponse, dryRun: boolean) => ({
  revision,
  dry_run: dryRun,
  matches,
  changed_segments: changedSegments,
  changes: changes.map(changeJson),
});

export const revisionJson = ({ revision, createdAt, keyId, action, changedSegments, restoredRevision }: transcription.Revision, changes?: readonly transcription.SegmentChange[]) =>
  present({
    revision,
    created_at: timeText(createdAt) ?? '',
    key_id: keyId,
    action,
    changed_segments: changedSegments,
    restored_revision: restoredRevision,
    changes: changes?.map(changeJson),
  });
