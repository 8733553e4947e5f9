import { z } from 'zod';
import { defineOperation } from '../http/operation.js';
import { CREATED_AFTER, CREATED_BEFORE, keyId, noParams, pageOf, pageQuery, projectId, time, timeParameter } from '../http/schema.js';

/** The media type of an export. */
export const NDJSON = 'application/x-ndjson';

const id = z.string().min(1).max(80);

const auditRecord = z
  .object({
    account_id: z.string().meta({ description: 'The account.' }),
    sequence: z.int().meta({ description: 'One more for each record.' }),
    time,
    event: z.string().meta({ description: '`requested`: a change, before it is made. `answered`: a read, or the outcome of a change.' }),
    action: z.string().meta({ description: 'The id of the operation, or method and path.' }),
    actor_type: z.string().meta({ description: '`key`, `token`, `link`, `operator` or `signup`.' }),
    actor_id: z.string().optional().meta({ description: 'Its id.' }),
    key_id: keyId.optional().meta({ description: 'The key that created it.' }),
    project_id: projectId.optional(),
    resources: z.array(z.string()).meta({ description: 'Ids of what it read or changed.' }),
    status: z.int().optional().meta({ description: 'Status of the answer.' }),
    address: z.string().optional().meta({ description: 'The IP address of the client.' }),
    user_agent: z.string().optional().meta({ description: 'Its first 200 characters.' }),
    request_id: z.string().meta({ description: 'The `X-Request-Id`.' }),
    previous_hash: z.string().meta({ description: '`hash` of the record before.' }),
    hash: z.string().meta({ description: 'SHA-256 of the other members as canonical JSON (RFC 8785).' }),
  })
  .meta({ id: 'AuditRecord', description: 'A request of the account.' });

export const listAudit = defineOperation({
  id: 'listAudit',
  method: 'GET',
  path: '/api/v1/audit',
  tag: 'Account',
  summary: 'List who read and changed what, newest first',
  description: `With \`Accept: ${NDJSON}\`, all that match, oldest first, one a line. Filtered pages may be short or empty.`,
  access: 'audit',
  params: noParams,
  query: z.strictObject({
    ...pageQuery,
    created_after: timeParameter().optional().meta({ description: CREATED_AFTER }),
    created_before: timeParameter().optional().meta({ description: CREATED_BEFORE }),
    action: z.string().min(1).max(200).optional().meta({ description: 'Only this action.' }),
    actor: id.optional().meta({ description: 'Only this key, token or link.' }),
    resource: id.optional().meta({ description: 'Only what names this id.' }),
  }),
  answers: { 200: { description: 'One page, or the export.', schema: pageOf(auditRecord), contentTypes: [NDJSON] } },
  problems: ['unknown_field', 'invalid_cursor'],
});
