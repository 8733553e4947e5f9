import { z } from 'zod';

/** Fields that several tools have. */
export const JOB_ID = z.string().min(1).describe('Id of the recording, `job_id` of other tools.');
export const JOB_ID_FILTER = JOB_ID.optional().describe('Only this recording. Default: all recordings.');
export const SPEAKER_FILTER = z.string().min(1).optional().describe('Only what this speaker says: a name, or a speaker_id of one recording.');
export const CREATED_AFTER = z.iso.datetime({ offset: true }).optional().describe('Only recordings that were added at this time or later, as 2026-01-31T00:00:00Z.');
export const CREATED_BEFORE = z.iso.datetime({ offset: true }).optional().describe('Only recordings that were added before this time.');
export const CURSOR = z.string().min(1).optional().describe('`next_cursor` of the previous page.');
export const NEXT_CURSOR = z.string().nullable().describe('Pass it as `cursor` for the next page. null: there is no further page.');
export const START = z.number().describe('Seconds from the beginning of the recording.');

export const limitField = (byDefault: number) => z.int().min(1).max(50).default(byDefault).describe('Items on a page.');
