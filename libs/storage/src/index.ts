export * from './documents/document-collection.js';
export * from './documents/open-document-database.js';
export * from './documents/page-cursor.js';
export * from './documents/sqlite/documents-file.js';
export { MediaSnapshot, type SnapshotObject } from './media/file/media-snapshot.js';
export * from './media/media-store.js';
export * from './media/open-media-store.js';
export * from './media/read-object.js';
export { DiskReserve, type RoomReservation, storageFull } from './media/file/disk-reserve.js';
