import type { EventBus, OutboxSource } from '@parlance/event-bus';
import type { ServiceName } from '@parlance/runtime/service-manifest';
import type { DataKeys, DocumentDatabase } from '@parlance/storage';
import type { TaskQueue } from '@parlance/task-queue';
import type { WaitOptions } from './until-available.js';

/** By service. */
export type Outboxes = ReadonlyMap<string, OutboxSource>;

/** The dependencies of the commands. */
export interface AdminTools {
  env: Record<string, string | undefined>;
  /** The result, to standard output. */
  print: (text: string) => void;
  /** Prints progress to standard error. */
  say: (text: string) => void;
  withEventBus: (work: (bus: EventBus) => Promise<void>) => Promise<void>;
  withTaskQueues: (work: (queues: readonly TaskQueue[]) => Promise<void>) => Promise<void>;
  /** One service's own queue. */
  withServiceTasks: (service: ServiceName, work: (tasks: TaskQueue) => Promise<void>) => Promise<void>;
  /** One service's own database. */
  withDocuments: (service: ServiceName, wait: WaitOptions, work: (documents: DocumentDatabase, keys: DataKeys | undefined) => Promise<void>) => Promise<void>;
  withOutboxes: (wait: WaitOptions, work: (outboxes: Outboxes) => Promise<void>) => Promise<void>;
}

export const json = (value: unknown): string => JSON.stringify(value, null, 2);
