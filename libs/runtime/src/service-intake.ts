import type { INestApplication } from '@nestjs/common';
import type { EventBus } from '@parlance/event-bus';
import { inService, settleAll, type Logger } from '@parlance/platform';
import type { EventMetrics } from './metrics/event-metrics.js';
import type { TaskMetrics } from './metrics/task-metrics.js';
import { observedConsumer } from './observed-consumer.js';
import { observedWorker } from './observed-worker.js';
import type { StartedService } from './start-application.js';

/** The sources of work of a process: public requests, events and tasks. */
export class ServiceIntake {
  private readonly open: { name: string; close: () => Promise<void> }[] = [];

  constructor(
    private readonly metrics: EventMetrics,
    private readonly taskMetrics: TaskMetrics,
    private readonly log: Logger,
  ) {}

  /** Subscribes the consumers of all services concurrently, since each waits for the broker. */
  async consume(services: readonly StartedService[], bus: EventBus): Promise<void> {
    const subscriptions = services.flatMap(({ manifest, app }) => {
      const { name: service } = manifest;
      const consumers = manifest.consumers(app).map((consumer) => observedConsumer(service, consumer, this.metrics));
      const followers = manifest.followers?.(app) ?? [];
      const opening = [...consumers.map((consumer) => bus.subscribe(consumer)), ...followers.map((follower) => bus.follow(follower))];
      return opening.map(async (subscription) => {
        const opened = await subscription;
        this.open.push({ name: `${service} consumer`, close: () => opened.close() });
      });
    });
    // When one fails, the others are open and must be closed.
    await settleAll(subscriptions);
  }

  /** Starts the workers of all services. */
  async work(services: readonly StartedService[]): Promise<void> {
    for (const { manifest, app, context } of services) {
      for (const worker of manifest.workers?.(app) ?? []) {
        this.taskMetrics.watch(context.tasks, worker.queue);
        const working = await context.tasks.work(observedWorker(manifest.name, worker, this.taskMetrics));
        this.open.push({ name: `${manifest.name} worker`, close: () => working.close() });
      }
    }
  }

  /** Opens the public HTTP server, where a service of the process has one. @param graceMs milliseconds for its answers to end when it closes @returns its URL */
  async listen(services: readonly StartedService[], graceMs: number): Promise<string | undefined> {
    for (const { manifest, app, context } of services) {
      if (!manifest.http) continue;
      const { http } = manifest;
      const { url, close } = await inService(manifest.name, () => http.listen(app as INestApplication, context));
      this.open.push({ name: 'public HTTP server', close: () => close(graceMs) });
      return url;
    }
    return undefined;
  }

  /** All together, so that requests and handlers have the same time to end in, and all of it is within the grace. @throws Error of the first that failed */
  async close(): Promise<void> {
    const closing = this.open.map(async ({ name, close }) => {
      await close().catch((error: unknown) => {
        this.log.error({ err: error, closing: name }, 'closing failed');
        throw error;
      });
    });
    await settleAll(closing);
  }
}
