export { billedMs, type Bill } from './state/bill.js';
export { billableMs, usageIdOf } from './state/billing.js';
export { isDeleted, jobCollection, type DeletedJob, type Job, type JobDocument } from './state/job.js';
