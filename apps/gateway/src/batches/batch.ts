import type { FieldError } from '@parlance/platform';
import { type CollectionDefinition, type Document, jsonBytes, ownerOfAccount } from '@parlance/storage';
import type { UploadOptions } from '../transcriptions/job-options-schema.js';

/** Transcriptions that one request ordered. */
export interface Batch extends Document {
  accountId: string;
  /** The API key that created it: its jobs count as those of the key. */
  keyId: string;
  /** The key or token that created it. */
  credentialId: string;
  /** The project of this key. */
  projectId?: string;
  /** `receiving` until all of its items are stored; then callers see it. */
  state: 'receiving' | 'processing' | 'completed';
  total: number;
  callbackUrl?: string;
  /** The checked options that its items share, while any of them is pending. */
  defaults?: UploadOptions;
  /** The size of the defaults as JSON; until all items are stored, with theirs. */
  bytes: number;
  /** When its cancellation was requested. */
  canceledAt?: string;
  /** When its last item ended. It stays, also when a job is retried after that. */
  completedAt?: string;
  /** The time after which the sweep removes the batch if none of its jobs is left; set when the batch ends. */
  sweepAfter?: string;
}

/** The states of an item. `pending`: its job is still to be created; `refused`: there will be none. The others are those of its job. */
export const ITEM_STATES = ['pending', 'refused', 'queued', 'processing', 'completed', 'failed', 'canceled', 'deleted'] as const;
export type ItemState = (typeof ITEM_STATES)[number];

const OPEN: readonly ItemState[] = ['pending', 'queued', 'processing'];
export const isOpen = (state: ItemState): boolean => OPEN.includes(state);

export interface ItemError {
  code: string;
  message: string;
  retryable: boolean;
  /** The fields of a refused item that are wrong. */
  fields?: FieldError[];
}

/** The checked request of an item, until its job is created. */
export interface ItemRequest {
  source: { audioUrl: string; sealedHeaders?: string } | { uploadIds: string[] };
  sealedCallbackHeaders?: string;
  /** The options that differ from the defaults of the batch. */
  options: Partial<UploadOptions>;
  /** Names of the defaults that it does not have. */
  without?: string[];
}

/** One item of a batch. The id of its job is decided with the batch, so that no number of tries makes it two. */
export interface BatchItem extends Document {
  accountId: string;
  batchId: string;
  /** From 0, in the order of the request. */
  index: number;
  jobId: string;
  customId?: string;
  state: ItemState;
  /** True while it is pending, or its job is at work. */
  open: boolean;
  /** True once its job is known to have been created. */
  hasJob: boolean;
  /** The version of the job that the state is of. */
  jobVersion: number;
  request?: ItemRequest;
  /** The size of the item as JSON. */
  bytes: number;
  /** Tries to create its job that failed. */
  tries?: number;
  error?: ItemError;
}

export const batchCollection: CollectionDefinition<Batch> = {
  name: 'batches',
  data: { what: 'callback and defaults of a batch', purpose: 'batches', kept: '30 days after its end, then with its last job' },
  account: 'accountId',
  indexes: [{ fields: ['accountId', 'state'] }, { fields: ['accountId', 'projectId'] }, { fields: ['accountId'] }, { fields: ['accountId'], orderBy: 'bytes' }, { fields: ['state'] }, { fields: ['state'], orderBy: 'sweepAfter' }],
  sealed: { fields: ['callbackUrl', 'defaults'], owner: ownerOfAccount },
};

export const batchItemCollection: CollectionDefinition<BatchItem> = {
  name: 'batch_items',
  data: { what: 'requests of a batch: addresses of recordings, options, `custom_id`', purpose: 'batches', kept: 'with the batch' },
  indexes: [
    { fields: ['batchId'], orderBy: 'index' },
    { fields: ['batchId', 'state'], orderBy: 'index' },
    { fields: ['batchId', 'open'], orderBy: 'index' },
    { fields: ['batchId', 'hasJob'] },
    { fields: ['jobId'] },
    { fields: ['accountId', 'hasJob'], orderBy: 'bytes' },
  ],
  sealed: { fields: ['customId', 'request', 'error'], owner: ownerOfAccount },
};

/** The item with its bytes. */
export const measured = <T extends object>(item: T): T & Pick<BatchItem, 'bytes'> => ({ ...item, bytes: jsonBytes(item) });

/** The item in another state. A request is kept only while the job is still to be created. */
export function inState(before: BatchItem, state: ItemState, more: Partial<Pick<BatchItem, 'hasJob' | 'jobVersion' | 'error'>> = {}): BatchItem {
  const { request, error: _error, tries: _tries, ...item } = before;
  return measured({ ...item, ...more, state, open: isOpen(state), ...(state === 'pending' && request && { request }) });
}

/** The item after its job was deleted: of what the caller gave, nothing is kept. */
export function withoutJob(before: BatchItem): BatchItem {
  const { customId: _customId, ...item } = before;
  return inState(item, 'deleted', { hasJob: true });
}
