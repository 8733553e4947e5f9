export * from './search-index-contract.js';
export * from './search-index-under-test.js';
