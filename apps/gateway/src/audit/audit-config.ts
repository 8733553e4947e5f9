import { integer } from '@parlance/platform';
import { z } from 'zod';

export const auditConfig = {
  AUDIT_LOG: z
    .enum(['on', 'off'])
    .default('on')
    .describe('on: every request of a key, token or link is recorded in the audit log of its account, and one that cannot be recorded is refused, except on a full disk. off: requests are not recorded; records that are there stay until their retention ends'),
  AUDIT_RETENTION_DAYS: integer(1, 36_500).default(365).describe('Days after which a record of the audit log is removed'),
} as const;
