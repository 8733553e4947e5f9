export { isolatedCommand, type IsolatedCommand, type IsolationHost } from './isolated-command.js';
