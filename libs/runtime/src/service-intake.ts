import type { INestApplication } from '@nestjs/common';
import type { EventBus } from '@parlance/event-bus';
import { inService, type Logger } from '@parlance/platform';
import type { EventMetrics } from './metrics/event-metrics.js';
import { observedConsumer } from './observed-consumer.js';
import type { StartedService } from './start-application.js';

/** What brings work into the process: public requests and events. */
export class ServiceIntake {
  private readonly open: { name: string; close: () => Promise<void> }[] = [];

  constructor(
    private readonly metrics: EventMetrics,
    private readonly log: Logger,
  ) {}

  /** Subscribes the consumers of all services at once: each waits for the broker alone. */
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
    // When one fails, the others are there to be closed.
    const failed = (await Promise.allSettled(subscriptions)).find(({ status }) => status === 'rejected');
    if (failed) throw (failed as PromiseRejectedResult).reason;
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

  /** All together, so that requests and handlers have the same time to end in, and all of it is within the grace. */
  async close(): Promise<void> {
    const closing = this.open.map(({ name, close }) => close().catch((error: unknown) => this.log.error({ err: error, closing: name }, 'closing failed')));
    await Promise.all(closing);
  }
}
