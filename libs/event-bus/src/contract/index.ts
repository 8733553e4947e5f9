export * from './event-bus-contract.js';
export * from './event-bus-under-test.js';
export * from '@parlance/platform/contract';
