import type { Document } from '@parlance/storage';
import type { AccountDeletion } from './account-deletion.js';
import type { Retention } from '../plans/index.js';

/** The owner of jobs, keys and secrets. */
export interface Account extends Document {
  email?: string;
  /** True when its holder proved to receive mail at that address. */
  emailVerified?: true;
  organization?: string;
  /** A name of the operator's settings; one that they no longer have counts as the default plan. */
  plan: string;
  /** Its own, before that of its plan; its longest can only be shorter. */
  retention?: Retention;
  /** Since when, by its operator, none of its keys is let in. */
  disabledAt?: string;
  /** Its requested deletion; `deletionDueAt` is here so that a query finds it. */
  deletion?: AccountDeletion;
  deletionDueAt?: string;
  /** For the operator. */
  disabledReason?: string;
}
