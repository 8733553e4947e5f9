export * from './open-task-queue.js';
export * from './task-queue.js';
export type { LeaseTimes, TaskObserver, TaskOutcome, TaskQueueOptions } from './work/queue-options.js';
