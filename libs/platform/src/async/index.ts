export * from './async-signal.js';
export * from './pause.js';
export * from './periodic.js';
export * from './retry-delay.js';
export * from './single-flight.js';
export * from './time-slices.js';
export * from './turn-batch.js';
export * from './with-timeout.js';
