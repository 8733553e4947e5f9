export * from './address-policy.js';
export * from './address-range.js';
export * from './egress-config.js';
export * from './egress.js';
