import { common, type EventType, type events } from '@parlance/contracts';

/** Job events that are announced, by the name their receivers know. */
export const WEBHOOK_TYPES = {
  'job.started': 'transcription.started',
  'job.transcript_ready': 'transcription.transcript_ready',
  'job.stage_failed': 'transcription.stage_failed',
  'job.completed': 'transcription.completed',
  'job.failed': 'transcription.failed',
  'job.canceled': 'transcription.canceled',
} as const satisfies Partial<Record<EventType, string>>;

export type AnnouncedType = keyof typeof WEBHOOK_TYPES;
export type WebhookType = (typeof WEBHOOK_TYPES)[AnnouncedType];

const MAX_BYTES = 20_000;
const MAX_WARNINGS = 20;

/**
 * The body of a webhook: `{type, timestamp, data}`, thin, under 20 kB. The receiver fetches the rest by `job_id`.
 * What does not fit is left out, the warnings first, then the metadata, and `data.truncated` says so.
 */
export function webhookPayload(type: AnnouncedType, time: string, event: events.JobEvent): string {
  const { warnings, metadata } = event;
  const render = (optional: Record<string, unknown>) =>
    JSON.stringify({ type: WEBHOOK_TYPES[type], timestamp: event.occurredAt?.toISOString() ?? time, data: { ...core(event), ...optional } });
  const shown = warnings.slice(0, MAX_WARNINGS).map(({ code, message }) => ({ code, message }));
  const candidates = [
    { metadata, ...(shown.length > 0 ? { warnings: shown } : {}), ...(shown.length < warnings.length ? { truncated: true } : {}) },
    { metadata, truncated: true },
  ];
  const fits = (body: string) => Buffer.byteLength(body) < MAX_BYTES;
  return candidates.map(render).find(fits) ?? render({ metadata: {}, truncated: true });
}

function core({ jobId, status, sequence, duration, stage, error }: events.JobEvent): Record<string, unknown> {
  return {
    job_id: jobId,
    status: lowerName(status, 'JOB_STATUS_'),
    sequence,
    ...(duration === undefined ? {} : { duration }),
    ...(stage === common.Stage.STAGE_UNSPECIFIED ? {} : { stage: lowerName(stage, 'STAGE_') }),
    ...(error ? { error: { code: error.code, message: error.message.slice(0, 2000), retryable: error.retryable } } : {}),
  };
}

const lowerName = (value: string, prefix: string) => value.slice(prefix.length).toLowerCase();
