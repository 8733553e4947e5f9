import type { CollectionDefinition, Document } from '@parlance/storage';

/** A part of an account: keys that are bound to it reach its jobs alone. */
export interface Project extends Document {
  accountId: string;
  name: string;
  /** Since when a call deletes it: no key is bound to it any more. */
  deletingSince?: string;
}

export const projectCollection: CollectionDefinition<Project> = { name: 'projects', indexes: [{ fields: ['accountId'] }] };
