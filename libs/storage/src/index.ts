export * from './documents/document-collection.js';
export * from './documents/inbox.js';
export * from './documents/open-document-database.js';
export * from './documents/page-cursor.js';
export * from './media/media-store.js';
export * from './media/open-media-store.js';
export * from './media/give-back.js';
export * from './media/read-object.js';
