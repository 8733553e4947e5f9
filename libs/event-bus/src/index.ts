export * from './event-bus.js';
export * from './event-json.js';
export * from './open-event-bus.js';
export * from './outbox-relay.js';
export * from './outbox-source.js';
