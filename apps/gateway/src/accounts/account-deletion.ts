/** The requested deletion of an account, as it is stored in the account. */
export interface AccountDeletion {
  /** The id of the receipt: no other caller can guess it, and it opens the receipt once the account has no keys any more. */
  erasureId: string;
  requestedAt: string;
  /** When the erasure begins; until then the deletion can be withdrawn. */
  dueAt: string;
  /** An operator requested it, so that only an operator withdraws it. */
  byOperator?: true;
  /** An operator changed `dueAt` while the task of the erasure waits for the time before. */
  isTaskOutdated?: true;
  /** From here on no key is let in, and nothing is withdrawn. */
  erasingSince?: string;
}

const ERASURE_ID_BYTES = 16;
const DAY_MS = 24 * 60 * 60 * 1000;

/** @param days until the erasure begins */
export function newDeletion(random: (length: number) => Uint8Array, now: Date, days: number, byOperator: boolean): AccountDeletion {
  return {
    erasureId: `era_${Buffer.from(random(ERASURE_ID_BYTES)).toString('hex')}`,
    requestedAt: now.toISOString(),
    dueAt: new Date(now.getTime() + days * DAY_MS).toISOString(),
    ...(byOperator && { byOperator }),
  };
}
