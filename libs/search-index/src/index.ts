export * from './open-search-index.js';
export * from './search-index.js';
export * from './search-index-on-first-use.js';
