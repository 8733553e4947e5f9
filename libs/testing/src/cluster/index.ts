export * from './installation-topics.js';
export * from './parlance-cluster.js';
export * from './real-servers.js';
