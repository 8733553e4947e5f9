export * from './durability.js';
export * from './group-commit.js';
export * from './open-sqlite-database.js';
export * from './rewrite-database.js';
export * from './snapshot-together.js';
export * from './sqlite-errors.js';
export type { FileSync } from './wal-flush.js';
