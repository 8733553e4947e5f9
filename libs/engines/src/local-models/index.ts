export * from './model-catalogue.js';
export * from './model-record.js';
export * from './model-store.js';
