import type { DiarizationServiceDefinition } from './generated/parlance/diarization/v1/diarization_service.js';
import type { AccountServiceDefinition } from './generated/parlance/gateway/v1/account_service.js';
import type { JobServiceDefinition } from './generated/parlance/ingest/v1/job_service.js';
import type { MediaDecoderServiceDefinition } from './generated/parlance/ingest/v1/media_decoder.js';
import type { SearchServiceDefinition } from './generated/parlance/search/v1/search_service.js';
import type { SummaryServiceDefinition } from './generated/parlance/summary/v1/summary_service.js';
import type { TranscriptServiceDefinition } from './generated/parlance/transcription/v1/transcript_service.js';
import type { WebhookServiceDefinition } from './generated/parlance/webhook/v1/webhook_service.js';
import type { ServicePort } from './service-port.js';

export interface AccountService extends ServicePort<typeof AccountServiceDefinition> {}
export interface DiarizationService extends ServicePort<typeof DiarizationServiceDefinition> {}
export interface JobService extends ServicePort<typeof JobServiceDefinition> {}
export interface MediaDecoderService extends ServicePort<typeof MediaDecoderServiceDefinition> {}
export interface SearchService extends ServicePort<typeof SearchServiceDefinition> {}
export interface SummaryService extends ServicePort<typeof SummaryServiceDefinition> {}
export interface TranscriptService extends ServicePort<typeof TranscriptServiceDefinition> {}
export interface WebhookService extends ServicePort<typeof WebhookServiceDefinition> {}
