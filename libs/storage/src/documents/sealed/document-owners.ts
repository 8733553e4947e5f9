import type { KeyOwner } from '../../keys/wrapped-data-keys.js';

/** The owner of a document of a job, whose id is `jobId`. */
export function ownerOfPart({ accountId, jobId }: { accountId?: string | undefined; jobId: string }): KeyOwner {
  if (accountId === undefined) throw new Error(`a document of ${jobId} names no account, so that it cannot be sealed`);
  return { accountId, holder: jobId };
}

/** The owner of a document of the job, or upload, whose id it has. */
export const ownerOfJob = ({ accountId, id }: { accountId: string; id: string }): KeyOwner => ({ accountId, holder: id });

/** The owner of a document of the account whose id it has. */
export const ownerOfAccountDocument = ({ id }: { id: string }): KeyOwner => ({ accountId: id, holder: '' });

/** The owner of a document of the account as a whole. */
export const ownerOfAccount = ({ accountId }: { accountId: string }): KeyOwner => ({ accountId, holder: '' });
