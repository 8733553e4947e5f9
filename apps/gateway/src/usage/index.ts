export { usageEntryCollection, type UsageEntry } from './usage-entry.js';
export { UsageLedger } from './usage-ledger.js';
export { dayIdOf, plus, type Amount } from './usage-sums.js';
