export { TELLS_OF_ERASURE } from './erasable.js';
export { FairPlaces } from './delivery/fair-places.js';
export * from './event-bus.js';
export * from './event-json.js';
export * from './open-event-bus.js';
export * from './outbox-relay.js';
export * from './outbox-source.js';
export * from './prepare-event-bus.js';
