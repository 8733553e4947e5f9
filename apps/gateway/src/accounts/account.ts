import type { Document } from '@parlance/storage';

/** Whom jobs, keys and secrets belong to. */
export interface Account extends Document {
  email?: string;
  organization?: string;
  plan: 'free';
}
