import {
  BatchCompleted,
  ChunkFailed,
  ChunkRequested,
  ChunkTranscribed,
  DiarizationCompleted,
  ErasureReported,
  IngestRequested,
  JobEvent,
  MediaReady,
  StageEvent,
  StageRequested,
  SummaryFinished,
  SummaryRequested,
  TranscriptCompleted,
  TranscriptEdited,
  TranscriptSpeakersChanged,
  WebhookEndpointDisabled,
  UsageRecorded,
  WebhookSettled,
} from '../generated/parlance/events/v1/events.js';

/** A generated message: its proto3 JSON mapping, both ways. */
export interface MessageCodec<T> {
  fromJSON(object: unknown): T;
  toJSON(message: T): unknown;
}

/** The clean-up of a topic: `delete` removes records after their retention, `compact` keeps the newest record of each key. */
type CleanupPolicy = 'compact' | 'delete';

export interface TopicDefinition {
  /** Public topics are read by internal teams; the others are Parlance's own and change without notice. */
  visibility: 'public' | 'internal';
  partitions: number;
  /** Milliseconds that events are kept. */
  retentionMs: number;
  cleanup: readonly CleanupPolicy[];
}

const DAY = 24 * 60 * 60 * 1000;

/** A key has many events, and no later one says what an earlier did: none is forgotten before its time is over. */
const KEEP_ALL = ['delete'] as const;

/** Every topic with its settings on a broker. */
export const TOPICS = {
  'parlance.jobs.v1': { visibility: 'public', partitions: 12, retentionMs: 30 * DAY, cleanup: KEEP_ALL },
  'parlance.transcripts.v1': { visibility: 'public', partitions: 12, retentionMs: 30 * DAY, cleanup: KEEP_ALL },
  'parlance.batches.v1': { visibility: 'public', partitions: 3, retentionMs: 30 * DAY, cleanup: KEEP_ALL },
  'parlance.usage.v1': { visibility: 'public', partitions: 12, retentionMs: 90 * DAY, cleanup: KEEP_ALL },
  'parlance.ingest-tasks.v1': { visibility: 'internal', partitions: 12, retentionMs: 7 * DAY, cleanup: KEEP_ALL },
  'parlance.media.v1': { visibility: 'internal', partitions: 12, retentionMs: 7 * DAY, cleanup: KEEP_ALL },
  'parlance.chunk-tasks.v1': { visibility: 'internal', partitions: 48, retentionMs: 7 * DAY, cleanup: KEEP_ALL },
  'parlance.chunk-results.v1': { visibility: 'internal', partitions: 12, retentionMs: 7 * DAY, cleanup: KEEP_ALL },
  'parlance.stages.v1': { visibility: 'internal', partitions: 12, retentionMs: 7 * DAY, cleanup: KEEP_ALL },
  'parlance.webhooks.v1': { visibility: 'internal', partitions: 12, retentionMs: 7 * DAY, cleanup: KEEP_ALL },
  'parlance.erasures.v1': { visibility: 'internal', partitions: 3, retentionMs: 30 * DAY, cleanup: KEEP_ALL },
} as const satisfies Record<string, TopicDefinition>;

export type Topic = keyof typeof TOPICS;

/**
 * The same of the dead letters of each topic, `<topic>.dead-letters`. They are few and keyed by letter, so one partition keeps
 * them in order, and compaction forgets the dropped ones.
 */
export const DEAD_LETTERS = {
  partitions: 1,
  /** Milliseconds that a letter is kept at least, to be looked after; longer where its topic keeps events longer. */
  leastRetentionMs: 30 * DAY,
  cleanup: ['compact', 'delete'] satisfies readonly CleanupPolicy[],
  /** Milliseconds that a dropped letter is on the broker's disks at most. */
  compactedWithinMs: DAY,
} as const;

interface EventDefinition<T, P extends Topic> {
  topic: P;
  /** Events of one key are handled in order. */
  key: (data: T) => string;
  codec: MessageCodec<T>;
}

const byJob = (data: { jobId: string }) => data.jobId;
/** Orders the events of an account: one reader at a time adds to its sums, and the erasure of a job removes nothing. */
const byAccount = (data: { accountId: string }) => data.accountId;
const byChunk = (data: { jobId: string; index: number }) => `${data.jobId}/${data.index}`;

const define = <T, P extends Topic>(topic: P, codec: MessageCodec<T>, key: (data: T) => string): EventDefinition<T, P> => ({ topic, codec, key });
const jobEvent = () => define('parlance.jobs.v1', JobEvent, byJob);
/** An event of a job that is also sent as a webhook, with the webhook's type and its heading in OpenAPI. Only these count in `sequence`. */
const announced = <W extends string>(webhook: W, heading: string) => ({ ...jobEvent(), webhook, heading });

/** Event type → topic, key and schema. */
export const EVENTS = {
  'job.created': jobEvent(),
  'job.started': announced('transcription.started', 'A job started processing'),
  'job.progressed': jobEvent(),
  'job.transcript_ready': announced('transcription.transcript_ready', 'The transcript of a job is ready'),
  'job.stage_failed': announced('transcription.stage_failed', 'An add-on stage of a job failed'),
  'job.add_on_completed': announced('transcription.add_on_completed', 'An add-on that was ordered or retried after the end of its job completed'),
  'job.completed': announced('transcription.completed', 'A job completed'),
  'job.failed': announced('transcription.failed', 'A job failed'),
  'job.canceled': announced('transcription.canceled', 'A job was canceled'),
  'job.transcript_edited': announced('transcription.edited', 'The transcript of a job was edited'),
  'job.summary_completed': announced('summary.completed', 'A summary that was requested later is written'),
  'job.summary_failed': announced('summary.failed', 'A summary that was requested later failed'),
  'job.content_erased': jobEvent(),
  'job.deleted': jobEvent(),
  'batch.completed': define('parlance.batches.v1', BatchCompleted, ({ batchId }) => batchId),
  'ingest.requested': define('parlance.ingest-tasks.v1', IngestRequested, byJob),
  'media.ready': define('parlance.media.v1', MediaReady, byJob),
  'chunk.requested': define('parlance.chunk-tasks.v1', ChunkRequested, byChunk),
  'chunk.transcribed': define('parlance.chunk-results.v1', ChunkTranscribed, byJob),
  'chunk.failed': define('parlance.chunk-results.v1', ChunkFailed, byJob),
  'transcript.completed': define('parlance.transcripts.v1', TranscriptCompleted, byJob),
  'transcript.speakers_changed': define('parlance.transcripts.v1', TranscriptSpeakersChanged, byJob),
  'transcript.edited': define('parlance.transcripts.v1', TranscriptEdited, byJob),
  'diarization.completed': define('parlance.stages.v1', DiarizationCompleted, byJob),
  'stage.started': define('parlance.stages.v1', StageEvent, byJob),
  'stage.finished': define('parlance.stages.v1', StageEvent, byJob),
  'stage.requested': define('parlance.stages.v1', StageRequested, byJob),
  'summary.requested': define('parlance.stages.v1', SummaryRequested, byJob),
  'summary.finished': define('parlance.stages.v1', SummaryFinished, byJob),
  'webhook.settled': define('parlance.webhooks.v1', WebhookSettled, byJob),
  'webhook.endpoint_disabled': define('parlance.webhooks.v1', WebhookEndpointDisabled, ({ endpointId }) => endpointId),
  'usage.recorded': define('parlance.usage.v1', UsageRecorded, byAccount),
  'erasure.reported': define('parlance.erasures.v1', ErasureReported, byJob),
} as const;

export type EventType = keyof typeof EVENTS;
export type EventData<K extends EventType> = ReturnType<(typeof EVENTS)[K]['codec']['fromJSON']>;

/** An event to be published: what happened and its data; id, time and key are added where it is stored. */
export type NewEvent = {
  [K in EventType]: {
    type: K;
    data: EventData<K>;
    /** W3C trace context, when it belongs to another trace than the code that stores it: work for one job may set off another's. */
    traceparent?: string | undefined;
  };
}[EventType];

export const isEventType = (type: string): type is EventType => Object.hasOwn(EVENTS, type);
export const topicOf = (type: EventType): Topic => EVENTS[type].topic;
export const typesOn = (topic: Topic): EventType[] =>
  (Object.keys(EVENTS) as EventType[]).filter((type) => EVENTS[type].topic === topic);
