import { EVENTS, type EventType } from './event-catalogue.js';

/** Job events that webhooks announce, by the catalogue. */
export type AnnouncedType = { [K in EventType]: (typeof EVENTS)[K] extends { webhook: string } ? K : never }[EventType];

export const isAnnounced = (type: EventType): type is AnnouncedType => 'webhook' in EVENTS[type];
export const ANNOUNCED_TYPES: readonly AnnouncedType[] = (Object.keys(EVENTS) as EventType[]).filter(isAnnounced);

/** By the name that receivers know. */
export const WEBHOOK_TYPES = Object.fromEntries(ANNOUNCED_TYPES.map((type) => [type, EVENTS[type].webhook])) as { readonly [K in AnnouncedType]: (typeof EVENTS)[K]['webhook'] };

/** To an account's other endpoints when one of them was disabled. */
export const ENDPOINT_DISABLED = 'webhook_endpoint.disabled';
/** When each item of a batch has ended. */
export const BATCH_COMPLETED = 'batch.completed';
/** To one endpoint, when its owner asks for it. */
export const ENDPOINT_TEST = 'webhook_endpoint.test';

/** The event types that an account-wide endpoint can subscribe to. */
export const SUBSCRIBABLE_TYPES = [...Object.values(WEBHOOK_TYPES), BATCH_COMPLETED, ENDPOINT_DISABLED] as const;

export type SubscribableType = (typeof SUBSCRIBABLE_TYPES)[number];
export type WebhookType = SubscribableType | typeof ENDPOINT_TEST;

/** Contents that a receiver can have in its webhooks. */
export const WEBHOOK_CONTENTS = ['transcript', 'summary'] as const;
export type WebhookContent = (typeof WEBHOOK_CONTENTS)[number];

/** The contents that the webhooks of an event type can have. */
export const CONTENTS_OF_TYPE: Readonly<Partial<Record<WebhookType, readonly WebhookContent[]>>> = {
  'transcription.transcript_ready': ['transcript'],
  'transcription.edited': ['transcript'],
  'transcription.completed': ['transcript', 'summary'],
  'transcription.add_on_completed': ['summary'],
  'summary.completed': ['summary'],
};

/** The heading of each webhook in OpenAPI. */
export const WEBHOOK_HEADINGS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(ANNOUNCED_TYPES.map((type) => [EVENTS[type].webhook, EVENTS[type].heading])),
  [BATCH_COMPLETED]: 'A batch has ended',
  [ENDPOINT_DISABLED]: 'Another endpoint of the account was disabled',
  [ENDPOINT_TEST]: 'The owner of an endpoint requested a test',
};
