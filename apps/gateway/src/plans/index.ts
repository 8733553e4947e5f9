export { AccountPlans } from './account-plans.js';
export { jobLimits, type BillingMode, type Plan, type PlanLimits, type Retention } from './plan.js';
export { RetentionRules } from './retention-rules.js';
export { plansConfig, retentionProblems, retentionSettings } from './plans-config.js';
export { Plans } from './plans.js';
