export { fromMongoError, isDuplicateKey } from './mongo-errors.js';
export { MongoServer, type MongoServerOptions } from './mongo-server.js';
export { parseMongoUrl, databaseName, type MongoUrl } from './mongo-url.js';
