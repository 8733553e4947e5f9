export { isolatedCommand, readableFolderOf, type IsolatedCommand, type IsolationHost } from './isolated-command.js';
