import { readConfig, silentLogger } from '@parlance/platform';
import { Plans, plansConfig } from '../src/plans/index.js';

/** Those of an operator who set nothing. */
export const defaultPlans = (): Plans => Plans.from(readConfig(plansConfig, { env: {}, readFile: () => '' }), silentLogger());
