import type { EventType } from './event-catalogue.js';

/** Job events that are announced by webhooks, by the name their receivers know. */
export const WEBHOOK_TYPES = {
  'job.started': 'transcription.started',
  'job.transcript_ready': 'transcription.transcript_ready',
  'job.stage_failed': 'transcription.stage_failed',
  'job.completed': 'transcription.completed',
  'job.failed': 'transcription.failed',
  'job.canceled': 'transcription.canceled',
} as const satisfies Partial<Record<EventType, string>>;

/** To an account's other endpoints when one of them was disabled. */
export const ENDPOINT_DISABLED = 'webhook_endpoint.disabled';
/** To one endpoint, when its owner asks for it. */
export const ENDPOINT_TEST = 'webhook_endpoint.test';

/** What an account-wide endpoint can subscribe to. */
export const SUBSCRIBABLE_TYPES = [...Object.values(WEBHOOK_TYPES), ENDPOINT_DISABLED] as const;

export type AnnouncedType = keyof typeof WEBHOOK_TYPES;
export type SubscribableType = (typeof SUBSCRIBABLE_TYPES)[number];
export type WebhookType = SubscribableType | typeof ENDPOINT_TEST;
