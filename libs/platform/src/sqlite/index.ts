export * from './open-sqlite-database.js';
export * from './sqlite-errors.js';
