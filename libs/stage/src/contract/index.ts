export * from './engine-gate.js';
export * from './stage-contract.js';
export * from './stage-stores.js';
export * from './stage-under-test.js';
