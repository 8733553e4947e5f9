import { integer } from '@parlance/platform';

/** Settings of the rights of accounts. */
export const deletionConfig = {
  ACCOUNT_DELETION_DAYS: integer(0, 3650)
    .default(30)
    .describe('Days from the request to delete an account (DELETE /api/v1/account) until everything of it is erased. Until then the request can be withdrawn. 0: at once'),
  ACCOUNT_EXPORT_HOURS: integer(1, 8760).default(72).describe('Hours after which an export of an account (POST /api/v1/account/export) is removed'),
} as const;
