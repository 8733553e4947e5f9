import type { WebhookType } from '@parlance/contracts';
import type { CollectionDefinition, Document } from '@parlance/storage';

/** Where an event goes. */
export interface Destination {
  url: string;
  /** Of an account-wide receiver; else it is the job's `callback_url`. */
  endpointId?: string;
  /** It is both. */
  isCallback?: true;
}

/** What happened, as receivers are told. */
export interface AccountEvent {
  type: WebhookType;
  /** Place among the job's events; 0 for an event that is about no job. */
  sequence: number;
  /** Exactly the bytes that are signed and sent. */
  body: string;
  /** Settled when the event was stored: whoever goes on after a crash sends it to the same ones. */
  destinations: Destination[];
  /** Of the end of a job: the destinations that still wait for it, by their place in the list. */
  open?: number[];
}

/**
 * An event of an account at its place in the account's order, under the event's id. The places are 1, 2, 3, …, and a place is
 * taken only when the one before it is stored: a reader that has seen a place has seen all before it, whatever replica wrote them.
 */
export interface FeedEntry extends Document {
  accountId: string;
  position: number;
  jobId?: string;
  /** Gone when its job was erased; the place stays. */
  event?: AccountEvent;
}

export const FEED: CollectionDefinition<FeedEntry> = {
  name: 'account_events',
  indexes: [{ fields: ['accountId', 'position'], orderBy: 'position', unique: true }, { fields: ['jobId'] }],
};
