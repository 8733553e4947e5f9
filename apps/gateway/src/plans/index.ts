export { AccountPlans } from './account-plans.js';
export { jobLimits } from './job-limits.js';
export type { BillingMode, Plan, PlanLimits, Retention } from './plan.js';
export { RetentionRules } from './retention-rules.js';
export { plansConfig, retentionProblems, retentionSettings } from './plans-config.js';
export { Plans } from './plans.js';
