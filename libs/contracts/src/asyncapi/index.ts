export * from './async-api-document.js';
