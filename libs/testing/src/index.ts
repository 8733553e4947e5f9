export * from './eventually.js';
export * from './parlance-process.js';
export * from './test-api.js';
export * from './webhook-receiver.js';
