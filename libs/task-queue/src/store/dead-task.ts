import type { DeadTask } from '../task-queue.js';
import type { StoredTask } from './task-store.js';

export function toDead(stored: StoredTask, failure: Pick<DeadTask, 'reason' | 'attempts' | 'failedAt'>): DeadTask {
  const { queue, id, accountId, group, key, priority, audioSeconds, payload, traceparent } = stored;
  const optional = { ...(key !== undefined && { key }), ...(audioSeconds !== undefined && { audioSeconds }), ...(traceparent !== undefined && { traceparent }) };
  return { queue, task: { id, accountId, group, priority, payload: JSON.parse(payload) as unknown, ...optional }, ...failure };
}
