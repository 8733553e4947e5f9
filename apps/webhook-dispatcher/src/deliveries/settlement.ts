import { common, type NewEvent, type WebhookType } from '@parlance/contracts';
import type { WebhookDelivery } from './delivery.js';

/** The webhooks that announce how a job ended, and what they say. */
const ENDS = {
  'transcription.completed': common.JobStatus.JOB_STATUS_COMPLETED,
  'transcription.failed': common.JobStatus.JOB_STATUS_FAILED,
  'transcription.canceled': common.JobStatus.JOB_STATUS_CANCELED,
} as const satisfies Partial<Record<WebhookType, common.JobStatus>>;

type TerminalType = keyof typeof ENDS;

const isTerminal = (type: WebhookType): type is TerminalType => Object.hasOwn(ENDS, type);

/** The event webhook.settled: no receiver waits for this end of the job. Undefined for any other event. */
export function settled(event: { jobId?: string; accountId: string; sequence: number; eventType: WebhookType }): NewEvent | undefined {
  const { jobId, accountId, sequence, eventType } = event;
  if (jobId === undefined || !isTerminal(eventType)) return undefined;
  return { type: 'webhook.settled', data: { jobId, accountId, sequence, status: ENDS[eventType] } };
}

/** The event to publish with a change of a delivery, when that delivers or gives up the webhook of the job's end. */
export const settlement = (before: WebhookDelivery, after: WebhookDelivery): NewEvent | undefined =>
  before.status === 'pending' && after.status !== 'pending' ? settled(after) : undefined;
