export * from './documents/document-collection.js';
export * from './media/media-store.js';
