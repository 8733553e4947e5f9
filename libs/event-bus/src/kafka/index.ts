export * from './kafka-connection.js';
export * from './kafka-event-bus.js';
export * from './kafka-url.js';
export * from './topics.js';
