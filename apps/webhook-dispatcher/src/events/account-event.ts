import type { WebhookContent, WebhookType } from '@parlance/contracts';
import type { CollectionDefinition, Document } from '@parlance/storage';

/** An address that an event is sent to. */
export interface Destination {
  url: string;
  /** The account's endpoint. Absent when it is the job's `callback_url`. */
  endpointId?: string;
  /** It is both: a webhook is sent there whatever becomes of the endpoint. */
  isCallback?: true;
  /** Headers for the job's `callback_url`: sealed JSON. An endpoint keeps its own itself. */
  sealedHeaders?: string;
  /** Contents for the job's `callback_url`. An endpoint keeps its own itself. */
  include?: WebhookContent[];
}

/** An event as receivers get it. */
export interface AccountEvent {
  type: WebhookType;
  /** Place among the job's events; 0 for an event that is about no job. */
  sequence: number;
  /** Exactly the bytes that are signed and sent. */
  body: string;
  /** Decided when the event was stored: after a crash it is sent to the same ones. */
  destinations: Destination[];
  /** Set for the end of a job: the destinations that have not had it yet, by their place in the list. Earlier versions set none for a single destination. */
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
  /** Set for an event of a sealed job. */
  isSealed?: true;
  /** Gone when its job was erased; the place stays. */
  event?: AccountEvent;
}

/** An event before it has its place. */
export type NewEntry = Pick<FeedEntry, 'id' | 'accountId' | 'jobId' | 'isSealed'> & { event: AccountEvent };

export const FEED: CollectionDefinition<FeedEntry> = {
  name: 'account_events',
  data: { what: 'events of the account, as sent to webhooks, and their addresses', purpose: 'to send webhooks, and to read events again', kept: 'WEBHOOK_EVENT_RETENTION_DAYS; contents of a job until it is deleted', recipients: 'webhook receivers of the account' },
  account: 'accountId',
  indexes: [
    { fields: ['accountId', 'position'], orderBy: 'position', unique: true },
    { fields: ['jobId'] },
    { fields: ['accountId', 'event.type'], orderBy: 'position' },
  ],
};
