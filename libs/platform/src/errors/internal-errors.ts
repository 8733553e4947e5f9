import type { ErrorEntry } from './error-entry.js';

/** Codes that stay between the services and in the operator's tools; callers of the API see the general code of the kind. */
export const INTERNAL_ERRORS = {
  // Servers and stores of our own
  database_unavailable: { kind: 'unavailable', isOutage: true },
  event_bus_unavailable: { kind: 'unavailable', isOutage: true },
  media_store_unavailable: { kind: 'unavailable', isOutage: true },
  search_unavailable: { kind: 'unavailable', isOutage: true },
  storage_failed: { kind: 'unavailable', isOutage: true },
  storage_unavailable: { kind: 'unavailable' },
  storage_busy: { kind: 'unavailable' },
  key_destroyed: { kind: 'not_found', status: 410 },
  scratch_busy: { kind: 'unavailable' },
  model_unavailable: { kind: 'unavailable', retryable: false },
  search_index_missing: { kind: 'unavailable', otherKinds: ['not_found'] },
  search_mapping_conflict: { kind: 'conflict' },
  transcript_changing: { kind: 'unavailable' },

  // Closed on this side
  database_closed: { kind: 'unavailable' },
  event_bus_closed: { kind: 'unavailable' },
  task_queue_closed: { kind: 'unavailable' },
  search_closed: { kind: 'unavailable' },
  storage_closed: { kind: 'unavailable' },
  subscription_closed: { kind: 'canceled' },
  partition_moved: { kind: 'canceled' },
  worker_closed: { kind: 'canceled' },
  lease_lost: { kind: 'canceled' },
  task_removed: { kind: 'canceled' },
  call_over: { kind: 'canceled' },
  client_gone: { kind: 'canceled' },
  upload_removed: { kind: 'canceled' },

  // Documents, events and media
  duplicate: { kind: 'conflict' },
  version_conflict: { kind: 'conflict' },
  newer_document: { kind: 'internal' },
  event_too_large: { kind: 'too_large' },
  event_undecodable: { kind: 'invalid' },
  event_unknown: { kind: 'invalid' },
  task_queue_timeout: { kind: 'timeout' },
  handler_timeout: { kind: 'timeout' },
  too_large: { kind: 'too_large' },
  invalid_media_key: { kind: 'invalid' },
  invalid_erasure_log: { kind: 'invalid' },
  media_seal_broken: { kind: 'internal' },

  // Keys that seal stored data
  keys_unavailable: { kind: 'unavailable', isOutage: true },

  // Arguments of a call between services
  invalid_embedding: { kind: 'invalid' },
  invalid_format: { kind: 'invalid' },
  invalid_id: { kind: 'invalid' },
  invalid_limit: { kind: 'invalid' },
  invalid_name: { kind: 'invalid' },
  invalid_time: { kind: 'invalid' },
  invalid_version: { kind: 'invalid' },
  same_speaker: { kind: 'invalid' },
  unknown_plan: { kind: 'invalid' },

  // The operator's tools
  backup_damaged: { kind: 'invalid' },
  backup_interrupted: { kind: 'conflict' },
  backup_running: { kind: 'conflict' },
  folder_not_empty: { kind: 'conflict' },
  reindex_failed: { kind: 'internal' },
  reindex_in_progress: { kind: 'conflict' },
} as const satisfies Record<string, ErrorEntry>;
