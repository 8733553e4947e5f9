import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EVENTS, TOPICS, typesOn, type Topic } from '@parlance/contracts';
import type { EventBus, Follower, NewEvent, OutboxEvent } from '@parlance/event-bus';
import { silentLogger, systemClock, ulidGenerator, type IdGenerator } from '@parlance/platform';
import type { AnyServiceManifest } from '@parlance/runtime';
import { runProcess, type RunningProcess } from '@parlance/runtime/process';

/** One service as its process runs it, on embedded adapters in a temporary folder; the test speaks for all others on the bus. */
export class ServiceHarness implements AsyncDisposable {
  /** Every event on the bus since the start, the test's own included. */
  readonly heard: OutboxEvent[] = [];

  private constructor(
    readonly dataFolder: string,
    readonly process: RunningProcess,
    private readonly ids: IdGenerator,
  ) {}

  static async start(manifest: AnyServiceManifest, env: Record<string, string> = {}, log = silentLogger()): Promise<ServiceHarness> {
    const dataFolder = await mkdtemp(join(tmpdir(), `parlance-${manifest.name}-`));
    const ids = ulidGenerator();
    const process = await runProcess([manifest], { env: { PARLANCE_DATA: dataFolder, ...env }, log }).catch(async (error: unknown) => {
      await rm(dataFolder, { recursive: true });
      throw error;
    });
    const harness = new ServiceHarness(dataFolder, process, ids);
    for (const topic of Object.keys(TOPICS) as Topic[]) await harness.bus.follow(harness.listener(topic));
    return harness;
  }

  /** The bus of the service itself: a second one would receive each event at its next poll only, and so would the service. */
  get bus(): EventBus {
    return this.process.bus;
  }

  /** Publishes as another service would. @returns the events as they are on the bus, to publish them again with `republish`. */
  async publish(...events: NewEvent[]): Promise<OutboxEvent[]> {
    const time = systemClock.now().toISOString();
    const stored = events.map(({ type, data }) => {
      const key = (EVENTS[type].key as (data: unknown) => string)(data);
      return { id: this.ids.next('evt'), type, source: 'test', time, key, data } as OutboxEvent;
    });
    await this.bus.publish(stored);
    return stored;
  }

  republish(events: readonly OutboxEvent[]): Promise<void> {
    return this.bus.publish(events);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.process.close();
    await rm(this.dataFolder, { recursive: true });
  }

  private listener(topic: Topic): Follower {
    const hear = (event: unknown) => void this.heard.push(event as OutboxEvent);
    return { topic, handlers: Object.fromEntries(typesOn(topic).map((type) => [type, hear])) };
  }
}
