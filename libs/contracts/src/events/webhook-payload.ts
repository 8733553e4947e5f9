import { Stage } from '../generated/parlance/common/v1/job.js';
import type { BatchCompleted, JobEvent, WebhookEndpointDisabled } from '../generated/parlance/events/v1/events.js';
import { BATCH_COMPLETED, ENDPOINT_DISABLED, ENDPOINT_TEST, WEBHOOK_TYPES, type AnnouncedType, type WebhookType } from './webhook-types.js';

const MAX_BYTES = 20_000;
const MAX_WARNINGS = 20;

/**
 * The body of a webhook: `{type, timestamp, data}`, thin, under 20 kB. The receiver fetches the rest by `job_id`.
 * What does not fit is left out, the warnings first, then the metadata, and `data.truncated` says so.
 */
export function webhookPayload(type: AnnouncedType, time: string, event: JobEvent): string {
  const { warnings, metadata } = event;
  const render = (optional: Record<string, unknown>) =>
    bodyOf(WEBHOOK_TYPES[type], event.occurredAt?.toISOString() ?? time, { ...core(event), ...optional });
  const shown = warnings.slice(0, MAX_WARNINGS).map(({ code, message }) => ({ code, message }));
  const body = render({ metadata, ...(shown.length > 0 && { warnings: shown }), ...(shown.length < warnings.length && { truncated: true }) });
  if (fits(body)) return body;
  const withoutWarnings = render({ metadata, truncated: true });
  return fits(withoutWarnings) ? withoutWarnings : render({ metadata: {}, truncated: true });
}

/** For the account's other endpoints: this one gets nothing more until it is enabled again. */
export function disabledPayload(time: string, { endpointId, url, reason, failingSince }: WebhookEndpointDisabled): string {
  const since = failingSince && { failing_since: failingSince.toISOString() };
  return bodyOf(ENDPOINT_DISABLED, time, { endpoint_id: endpointId, url, reason, ...since });
}

/** Receivers fetch the items by `batch_id`. */
export function batchPayload(time: string, { batchId, projectId, canceled, counts, createdAt, completedAt }: BatchCompleted): string {
  const times = { created_at: createdAt?.toISOString() ?? time, completed_at: completedAt?.toISOString() ?? time };
  return bodyOf(BATCH_COMPLETED, times.completed_at, { batch_id: batchId, ...(projectId === undefined ? {} : { project_id: projectId }), status: canceled ? 'canceled' : 'completed', counts, ...times });
}

export const testPayload = (time: string, endpointId: string): string => bodyOf(ENDPOINT_TEST, time, { endpoint_id: endpointId });

const fits = (body: string): boolean => Buffer.byteLength(body) < MAX_BYTES;

const bodyOf = (type: WebhookType, timestamp: string, data: Record<string, unknown>) => JSON.stringify({ type, timestamp, data });

function core({ jobId, status, sequence, duration, stage, error, summaryId, revision, projectId, sealed }: JobEvent): Record<string, unknown> {
  return {
    job_id: jobId,
    ...(projectId === undefined ? {} : { project_id: projectId }),
    status: lowerName(status, 'JOB_STATUS_'),
    sequence,
    ...(duration === undefined ? {} : { duration }),
    ...(stage === Stage.STAGE_UNSPECIFIED ? {} : { stage: lowerName(stage, 'STAGE_') }),
    ...(sealed ? { sealed } : {}),
    ...(revision === undefined ? {} : { revision }),
    ...(summaryId === undefined ? {} : { summary_id: summaryId }),
    ...(error ? { error: { code: error.code, message: error.message.slice(0, 2000), retryable: error.retryable } } : {}),
  };
}

const lowerName = (value: string, prefix: string) => value.slice(prefix.length).toLowerCase();
