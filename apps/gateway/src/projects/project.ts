import type { CollectionDefinition, Document } from '@parlance/storage';

/** A part of an account: keys that are bound to it reach its jobs alone. */
export interface Project extends Document {
  accountId: string;
  name: string;
  /** The time at which a call began to delete the project. For a minute from then on, no key can be bound to it. */
  deletingSince?: string;
}

export const projectCollection: CollectionDefinition<Project> = {
  name: 'projects',
  data: { what: 'names of projects', purpose: 'usage and access by project', kept: 'with the account' },
  account: 'accountId',
  indexes: [{ fields: ['accountId'] }],
};
