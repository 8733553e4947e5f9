export * from './stage-record.js';
export * from './job-cancellation.js';
export * from './job-erasure.js';
export * from './job-stages.js';
export * from './job-tombstones.js';
export * from './stage-ledger.js';
export * from './stage.js';
export * from './within-deadline.js';
