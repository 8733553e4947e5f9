export * from './group-commit.js';
export * from './open-sqlite-database.js';
export * from './sqlite-errors.js';
