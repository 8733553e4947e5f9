export * from './documents/document-database-contract.js';
export * from './documents/database-under-test.js';
export * from './media/media-store-contract.js';
