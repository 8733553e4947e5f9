export * from './address-policy.js';
export * from './address-range.js';
export * from './egress-config.js';
export * from './egress.js';
export * from './no-answer.js';
export type { AddressLookup } from './permitted-lookup.js';
