export { billedMs, type Bill } from './bill.js';
export { transcribedMs, usageIdOf } from './billing.js';
export { isDeleted, jobCollection, type DeletedJob, type Job, type JobDocument } from './job.js';
