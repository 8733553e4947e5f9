import { inService, inSpan, outageOf, type SpanOptions } from '@parlance/platform';
import type { Task, TaskWorker } from '@parlance/task-queue';
import type { TaskMetrics } from './metrics/task-metrics.js';

/** Measures each try of a worker's tasks and runs it in a span below the one that added the task, so that a job's tasks are part of its trace. */
export function observedWorker(service: string, worker: TaskWorker, metrics: TaskMetrics): TaskWorker {
  const { queue } = worker;
  const observed: TaskWorker = {
    ...worker,
    perform: (task, context) =>
      inService(service, async () => {
        const end = metrics.begin(queue, task);
        try {
          return await inSpan(`perform ${queue}`, optionsOf(queue, task), () => worker.perform(task, context));
        } catch (error) {
          const outage = outageOf(error);
          if (outage) metrics.outage(queue, outage.code);
          throw error;
        } finally {
          end();
        }
      }),
  };
  if (worker.giveUp) observed.giveUp = (task, error) => inService(service, () => inSpan(`give up ${queue}`, optionsOf(queue, task), async () => worker.giveUp?.(task, error)));
  return observed;
}

/** @see OpenTelemetry semantic conventions for messaging spans */
function optionsOf(queue: string, { id, group, traceparent, attempt }: Task): SpanOptions {
  return {
    kind: 'consumer',
    parent: traceparent ?? 'none',
    attributes: () => ({
      'messaging.operation.name': 'process',
      'messaging.destination.name': queue,
      'messaging.message.id': id,
      'parlance.task_group': group,
      'parlance.attempt': attempt,
    }),
  };
}
