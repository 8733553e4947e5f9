import { z } from 'zod';
import { openEnum, segmentId, time } from '../http/schema.js';
import { segmentSchema } from '../transcriptions/job-schema.js';

const MAX_TEXT = 5000;
const MAX_OPERATIONS = 1000;
const MAX_MERGED = 100;

/** White space becomes a space. Other control characters would stand in documents, and marks of direction would reverse the text beside them. */
const UNUSABLE = /(?!\s)[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;
const isUsable = (value: string): boolean => !UNUSABLE.test(value);
const USABLE = { message: 'This contains a control character, or a mark that changes the direction of the text around it.', params: { code: 'invalid_text' } };

const id = segmentId.min(1).max(100).meta({ id: 'EditedSegmentId', description: 'Unique within the transcript.', example: 'seg_000001' });
const text = z
  .string()
  .max(MAX_TEXT)
  .refine(isUsable, USABLE)
  .refine((value) => value.trim() !== '', { message: 'This must contain text. Delete the segment instead.', params: { code: 'too_short' } })
  .meta({ id: 'NewText', description: 'The new text. Words that stay keep their ids and times; others are `estimated`.', example: 'Good morning, everybody.' });
const speakerId = z.string().min(1).max(64).meta({ id: 'EditedSpeakerId', description: 'A speaker of the transcript.', example: 'S1' });

export const segmentChanges = z
  .strictObject({ text: text.optional(), speaker_id: speakerId.optional() })
  .refine(({ text: newText, speaker_id: speaker }) => newText !== undefined || speaker !== undefined, { message: 'This must have a text or a speaker_id.', params: { code: 'required' } })
  .meta({ id: 'SegmentChanges', description: 'What changes of a segment: `text`, `speaker_id` or both.' });

const op = <Name extends string>(name: Name) => z.literal(name).meta({ description: 'The kind of operation.' });
const editOperation = z
  .strictObject({ op: op('edit'), segment_id: id, text: text.optional(), speaker_id: speakerId.optional() })
  .meta({ id: 'EditOperation', description: 'Changes the text or the speaker of a segment.' });
const splitOperation = z
  .strictObject({
    op: op('split'),
    segment_id: id,
    word_id: z.string().min(1).max(100).optional().meta({ description: 'The first word of the second part.', example: '12.3' }),
    time: z.number().min(0).optional().meta({ description: 'Instead of `word_id`: where to split, in seconds.' }),
  })
  .refine(({ word_id: word, time: at }) => (word === undefined) !== (at === undefined), { path: ['word_id'], message: 'This or time must be given.' })
  .meta({ id: 'SplitOperation', description: 'Splits a segment. The first part keeps its id.' });
const mergeOperation = z
  .strictObject({ op: op('merge'), segment_ids: z.array(id).min(2).max(MAX_MERGED).meta({ description: 'Segments that follow one another, in order.' }) })
  .meta({ id: 'MergeOperation', description: 'Merges segments to one, with the id and the speaker of the first.' });
const assignOperation = z
  .strictObject({ op: op('assign_speaker'), segment_ids: z.array(id).min(1).max(MAX_OPERATIONS).meta({ description: 'The segments.' }), speaker_id: speakerId })
  .meta({ id: 'AssignSpeakerOperation', description: 'Gives segments a speaker of the transcript.' });
const deleteOperation = z.strictObject({ op: op('delete'), segment_id: id }).meta({ id: 'DeleteOperation', description: 'Removes a segment.' });

const operation = z
  .discriminatedUnion('op', [editOperation, splitOperation, mergeOperation, assignOperation, deleteOperation])
  .meta({ id: 'SegmentOperation', description: 'An operation on segments.' });

export type OperationJson = z.output<typeof operation>;

export const segmentOperations = z
  .strictObject({
    operations: z.array(operation).min(1).max(MAX_OPERATIONS).meta({ description: 'Applied in this order, all or none.', example: [{ op: 'split', segment_id: 'seg_000012', word_id: '12.3' }] }),
  })
  .meta({ id: 'SegmentOperations', description: 'Operations that make one revision.' });

const revisionNumber = z.int().min(0).max(2 ** 31 - 1).meta({ id: 'RevisionNumber', description: 'A revision of the transcript, from 1; 0 is the recognised text.' });
const changedSegments = z.int().min(0).meta({ id: 'ChangedSegments', description: 'How many segments were changed, added or removed.' });

export const editSchema = z
  .object({ revision: revisionNumber, changed_segments: changedSegments, segments: z.array(segmentSchema).optional().meta({ description: 'The new and the changed segments, where single segments were edited.' }) })
  .meta({ id: 'TranscriptEdit', description: 'The outcome of an edit.' });

const change = z
  .object({
    before: z.array(segmentSchema).meta({ description: 'As they were, without words; empty for added segments.' }),
    after: z.array(segmentSchema).meta({ description: 'As they are, without words; empty for removed segments.' }),
  })
  .meta({ id: 'SegmentChange', description: 'Segments that took the place of others.' });
const changes = z.array(change);

export const replacement = z
  .strictObject({
    find: z.string().min(1).max(200).refine((value) => value.trim() !== '', { message: 'This must contain text.', params: { code: 'too_short' } }).meta({ description: 'The text to find, within segments.' }),
    replace: z.string().max(1000).refine(isUsable, USABLE).meta({ description: 'The text that takes its place; may be empty.' }),
    match_case: z.boolean().default(false).meta({ description: 'Whether capitals matter.' }),
    whole_words: z.boolean().default(false).meta({ description: 'Whether only whole words are found.' }),
    dry_run: z.boolean().default(false).meta({ description: 'When true, only says what would change.' }),
  })
  .meta({ id: 'TextReplacement', description: 'A text and what takes its place.' });

export const replacedSchema = z
  .object({
    revision: revisionNumber,
    dry_run: z.boolean().meta({ description: 'True when nothing was changed.' }),
    matches: z.int().min(0).meta({ description: 'How often the text was found.' }),
    changed_segments: changedSegments,
    changes: changes.meta({ description: 'The changes of the first 100 segments.' }),
  })
  .meta({ id: 'ReplacedText', description: 'What was replaced, or would be.' });

const action = z.enum(['recognized', 'edited', 'replaced', 'restored']).meta({ id: 'RevisionAction', description: 'How a revision came about.' });

export const revisionSchema = z
  .object({
    revision: revisionNumber,
    created_at: time,
    key_id: z.string().optional().meta({ description: 'The API key that made it; absent for the recognised text.' }),
    action: openEnum(action).meta({ description: 'How it came about.' }),
    changed_segments: changedSegments,
    restored_revision: revisionNumber.optional().meta({ description: 'With `restored`: the revision whose text it has.' }),
    changes: changes.optional().meta({ description: 'The changes of the first 100 segments; absent in lists.' }),
  })
  .meta({ id: 'Revision', description: 'A state of the text of a transcript.' });
