import type { Document } from '@parlance/storage';

/** Whom jobs, keys and secrets belong to. */
export interface Account extends Document {
  email?: string;
  /** Whether its holder proved to read mail at that address. */
  emailVerified?: true;
  organization?: string;
  /** A name of the operator's settings; one that they no longer have counts as the default plan. */
  plan: string;
  /** Since when, by its operator, none of its keys is let in. */
  disabledAt?: string;
  /** For the operator. */
  disabledReason?: string;
}
