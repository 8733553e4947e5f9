export { AccountPlans } from './account-plans.js';
export { jobLimits } from './job-limits.js';
export type { BillingMode, Plan, PlanLimits } from './plan.js';
export { plansConfig } from './plans-config.js';
export { Plans } from './plans.js';
