export * from './documents/database-under-test.js';
export * from './documents/document-database-contract.js';
export * from './keys/key-provider-contract.js';
export * from './media/media-store-contract.js';
export * from './media/media-store-under-test.js';
