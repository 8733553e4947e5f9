import { getAccount } from '../accounts/account-operations.js';
import { getWebhookSecret, listDeliveries, redeliver, rotateWebhookSecret } from '../deliveries/delivery-operations.js';
import { streamEvents } from '../events/event-operations.js';
import type { Operation } from '../http/operation.js';
import { createKey, deleteKey, listKeys, rotateKey } from '../keys/key-operations.js';
import { listLanguages } from '../languages/language-operations.js';
import {
  cancelTranscription,
  createTranscription,
  deleteTranscription,
  getErasure,
  getTranscription,
  listTranscriptions,
  retryTranscription,
} from '../transcriptions/transcription-operations.js';
import { getTranscript } from '../transcripts/transcript-operations.js';

/** Every operation of the public API, in the order of its description. */
export const ROUTE_TABLE: readonly Operation[] = [
  createTranscription,
  getTranscription,
  listTranscriptions,
  cancelTranscription,
  retryTranscription,
  deleteTranscription,
  getErasure,
  streamEvents,
  getTranscript,
  listLanguages,
  listDeliveries,
  redeliver,
  getWebhookSecret,
  rotateWebhookSecret,
  listKeys,
  createKey,
  deleteKey,
  rotateKey,
  getAccount,
];
