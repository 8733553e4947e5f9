export * from './task-queue-contract.js';
export * from './task-queue-under-test.js';
