export * from './event-bus-contract.js';
export * from './eventually.js';
