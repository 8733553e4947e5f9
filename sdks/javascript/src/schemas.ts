import type { components, operations } from './generated/api.js';

/** The types of the API description. */
export type Schemas = components['schemas'];

/** The query parameters of an operation. */
export type Query<Name extends keyof operations> = NonNullable<operations[Name]['parameters']['query']>;

export type Transcription = Schemas['Transcription'];
export type TranscriptionSummary = Schemas['TranscriptionSummary'];
export type AcceptedTranscription = Schemas['AcceptedTranscription'];
export type Upload = Schemas['Upload'];
export type Summary = Schemas['Summary'];
export type SearchHit = Schemas['SearchHit'];
export type ChatAnswer = Schemas['ChatAnswer'];
export type ChatStreamEvent = Schemas['ChatStreamEvent'];
export type JobStreamEvent = Schemas['JobStreamEvent'];
export type WebhookEvent = Schemas['WebhookEvent'];
