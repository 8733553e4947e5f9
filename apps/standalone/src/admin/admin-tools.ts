import type { EventBus, OutboxSource } from '@parlance/event-bus';
import type { ServiceName } from '@parlance/runtime/service-manifest';
import type { DocumentDatabase } from '@parlance/storage';
import type { TaskQueue } from '@parlance/task-queue';
import type { Patience } from './until-available.js';

/** By service. */
export type Outboxes = ReadonlyMap<string, OutboxSource>;

/** What the commands get from outside. */
export interface AdminTools {
  env: Record<string, string | undefined>;
  /** The result, to standard output. */
  print: (text: string) => void;
  /** What is going on, to standard error. */
  say: (text: string) => void;
  withEventBus: (work: (bus: EventBus) => Promise<void>) => Promise<void>;
  withTaskQueues: (work: (queues: readonly TaskQueue[]) => Promise<void>) => Promise<void>;
  /** One service's own queue. */
  withServiceTasks: (service: ServiceName, work: (tasks: TaskQueue) => Promise<void>) => Promise<void>;
  /** One service's own database. */
  withDocuments: (service: ServiceName, patience: Patience, work: (documents: DocumentDatabase) => Promise<void>) => Promise<void>;
  withOutboxes: (patience: Patience, work: (outboxes: Outboxes) => Promise<void>) => Promise<void>;
}

export const json = (value: unknown): string => JSON.stringify(value, null, 2);
