export * from './async-api-document.js';
export * from './live-document.js';
