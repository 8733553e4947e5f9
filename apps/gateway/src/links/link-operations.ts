import { FORMAT_NAMES } from '@parlance/transcript';
import { z } from 'zod';
import { defineOperation } from '../http/operation.js';
import { idSchema, jobId, jobParams, keyId, noQuery, openEnum, pageOf, pageQuery, time } from '../http/schema.js';
import { LINK_PATH } from '../http/secret-path.js';
import { CHAPTERS_FILE, fileFormat } from '../transcripts/transcript-operations.js';
import { LINK_CONTENTS } from './share-link.js';

const TAG = 'Links';
const PATH = '/api/v1/transcriptions/{job_id}/links';
const DAY_SECONDS = 24 * 60 * 60;
const MAX_DAYS = 30;

const linkId = idSchema('lnk', 'lnk_01k9z3v4n8');
const linkContent = z.enum(LINK_CONTENTS).meta({ id: 'LinkContent', description: 'A content of a job: `transcript` is shown by browsers where they can, `export` is always a file to save, `media` is the recording.' });

const linkFields = {
  link_id: linkId.meta({ description: 'The id by which the link is revoked.' }),
  job_id: jobId,
  key_id: keyId.meta({ description: 'The key that created the link, and with which it ends.' }),
  what: openEnum(linkContent).meta({ description: 'The content that the link opens.' }),
  format: openEnum(fileFormat).optional().meta({ description: 'The format of a transcript or export.' }),
  created_at: time.meta({ description: 'When the link was created.' }),
  expires_at: time.meta({ description: 'The link opens nothing from this time on.' }),
};

const linkSchema = z.object(linkFields).meta({ id: 'Link', description: 'A link to a content of a job, without its URL.' });

const issuedLinkSchema = z
  .object({ ...linkFields, url: z.string().meta({ description: 'The URL. It is shown only once.', example: 'https://parlance.example.org/api/v1/links/pll_01k9z3v4n8…' }) })
  .meta({ id: 'IssuedLink', description: 'A new link.' });

interface LinkFormat {
  what: (typeof LINK_CONTENTS)[number];
  format?: z.infer<typeof fileFormat> | undefined;
}

function formatRules({ what, format }: LinkFormat, context: z.RefinementCtx): void {
  if (what === 'media' && format !== undefined) context.addIssue({ code: 'custom', path: ['format'], message: 'A recording has the format of its file.' });
  if (what === 'export' && format === undefined) context.addIssue({ code: 'custom', path: ['format'], message: 'An export needs a format.' });
  if (what === 'transcript' && format === CHAPTERS_FILE) context.addIssue({ code: 'custom', path: ['format'], message: `${CHAPTERS_FILE} is an export.` });
}

export const createLink = defineOperation({
  id: 'createLink',
  method: 'POST',
  path: PATH,
  tag: TAG,
  summary: 'Create a link that opens a content without a key',
  description: `For clients without a key, such as players. It works until it expires or is revoked, its job is deleted, or its key ends. Contents that are still being made can be linked. A job has up to 100 links.`,
  access: ['transcriptions:write', 'transcriptions:read'],
  isForKeysOnly: true,
  repeats: { by: 'kept', secret: true },
  params: jobParams,
  query: noQuery,
  body: {
    schema: z
      .strictObject({
        what: linkContent.meta({ description: 'The content that the link opens.' }),
        format: fileFormat.optional().meta({ description: `The format of a transcript, by default \`${FORMAT_NAMES[0]}\`, or of an export.` }),
        expires_in: z.int().min(1).max(MAX_DAYS * DAY_SECONDS).default(DAY_SECONDS).meta({ description: 'Seconds until the link expires.' }),
      })
      .superRefine(formatRules)
      .meta({ id: 'NewLink', description: 'What a new link opens, and for how long.' }),
  },
  answers: { 201: { description: 'The new link, whose URL is shown only once.', schema: issuedLinkSchema } },
  problems: ['unknown_field', 'not_found', 'invalid_state', 'media_gone', 'insufficient_scope'],
});

export const listLinks = defineOperation({
  id: 'listLinks',
  method: 'GET',
  path: PATH,
  tag: TAG,
  summary: 'List the links of a job, newest first',
  access: 'transcriptions:read',
  isForKeysOnly: true,
  params: jobParams,
  query: z.strictObject(pageQuery),
  answers: { 200: { description: 'One page of links, without their URLs.', schema: pageOf(linkSchema) } },
  problems: ['unknown_field', 'not_found', 'invalid_cursor', 'insufficient_scope'],
});

export const deleteLink = defineOperation({
  id: 'deleteLink',
  method: 'DELETE',
  path: `${PATH}/{link_id}`,
  tag: TAG,
  summary: 'Revoke a link',
  description: 'What is being read by the link ends within five seconds.',
  access: 'transcriptions:write',
  isForKeysOnly: true,
  params: jobParams.extend({ link_id: linkId }),
  query: noQuery,
  answers: { 204: { description: 'The link is revoked.' } },
  problems: ['unknown_field', 'not_found', 'insufficient_scope'],
});

export const openLink = defineOperation({
  id: 'openLink',
  method: 'GET',
  path: `${LINK_PATH}/{secret}`,
  tag: TAG,
  summary: 'Get the content that a link opens',
  description: 'The bytes of the recording, transcript or export; a recording also by `Range`. Answers are not to be cached, and browsers send no referrer from them. Query parameters are ignored.',
  access: 'public',
  params: z.object({ secret: z.string().max(200).meta({ description: 'The secret, as in the URL of the link.', example: 'pll_01k9z3v4n8…' }) }),
  // Sites and e-mail programs add parameters of their own to links.
  query: z.object({}),
  answers: { 200: { description: 'The content.', binary: 'The bytes.' }, 206: { description: 'The range of the recording.', binary: 'The bytes of the range.' } },
  problems: ['not_found', 'invalid_state', 'media_gone', 'range_not_satisfiable', 'rate_limited'],
});
