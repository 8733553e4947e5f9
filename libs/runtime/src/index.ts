export * from './service-manifest.js';
