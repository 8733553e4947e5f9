import { z } from 'zod';
import { defineOperation } from '../http/operation.js';
import { idSchema, noParams, noQuery, openEnum, time } from '../http/schema.js';

const PATH = '/api/v1/account/export';
const common = { path: PATH, tag: 'Account', access: 'keys', isForKeysOnly: true, params: noParams, query: noQuery } as const;

const accountExport = z
  .object({
    export_id: idSchema('exp', 'exp_01k9z3v4n8'),
    status: openEnum(z.enum(['processing', 'completed', 'failed']).meta({ id: 'AccountExportStatus', description: 'The state of an export.' })).meta({ description: 'The state.' }),
    media: z.boolean().meta({ description: 'Whether it has the recordings.' }),
    files: z.int().meta({ description: 'Files so far.' }),
    size_bytes: z.int().meta({ description: 'Bytes so far.' }),
    sha256: z.string().optional().meta({ description: 'Of the archive.' }),
    created_at: time,
    completed_at: time.optional(),
    expires_at: time.optional(),
  })
  .meta({ id: 'AccountExport', description: 'An export of the account.' });

export const exportAccount = defineOperation({
  ...common,
  id: 'exportAccount',
  method: 'POST',
  summary: 'Export everything of the account',
  description: 'Makes a ZIP archive of what this API answers, for `downloadAccountExport`, in place of the one before.',
  isOpenInDeletion: true,
  body: { schema: z.strictObject({ media: z.boolean().default(false).meta({ description: 'Whether to add the recordings.' }) }).meta({ id: 'NewAccountExport', description: 'What to export.' }), optional: true },
  answers: { 202: { description: 'The export.', schema: accountExport } },
  problems: ['unknown_field', 'invalid_state', 'malformed_json', 'unsupported_media_type'],
});

export const getAccountExport = defineOperation({
  ...common,
  id: 'getAccountExport',
  method: 'GET',
  summary: 'Get the state of the export of the account',
  answers: { 200: { description: 'The export.', schema: accountExport } },
  problems: ['unknown_field', 'not_found'],
});

export const downloadAccountExport = defineOperation({
  ...common,
  path: `${PATH}/archive`,
  id: 'downloadAccountExport',
  method: 'GET',
  summary: 'Download the export of the account',
  description: 'Takes `Range`.',
  access: ['keys', 'transcriptions:read', 'chat', 'webhooks', 'usage', 'audit'],
  answers: {
    200: { description: 'The archive.', binary: 'The ZIP file.', binaryTypes: ['application/zip'] },
    206: { description: 'A range of it.', binary: 'The bytes.', binaryTypes: ['application/zip'] },
  },
  problems: ['unknown_field', 'not_found', 'invalid_state', 'range_not_satisfiable'],
});

export const deleteAccountExport = defineOperation({
  ...common,
  id: 'deleteAccountExport',
  method: 'DELETE',
  summary: 'Remove the export of the account',
  answers: { 204: { description: 'It is gone.' } },
  problems: ['unknown_field', 'not_found'],
});
