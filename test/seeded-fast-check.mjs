// What property tests import as fast-check. A random seed each time finds new cases on a developer's machine; in CI the cases of
// a commit are the same however often it is built (PROPERTY_SEED). CI tries all cases of a property (RANDOM_CASES=all), `npm test`
// every fourth, and 25 at least.
import fc from '../node_modules/fast-check/lib/fast-check.js';

const MIN_CASES = 25;
const DEFAULT_CASES = 100;

const seed = Number(process.env.PROPERTY_SEED);
if (seed) fc.configureGlobal({ seed });

const casesOf = (numRuns) => (process.env.RANDOM_CASES === 'all' ? numRuns : Math.min(numRuns, Math.max(MIN_CASES, Math.ceil(numRuns / 4))));

export const assert = (property, { numRuns = DEFAULT_CASES, ...parameters } = {}) => fc.assert(property, { ...parameters, numRuns: casesOf(numRuns) });

export * from '../node_modules/fast-check/lib/fast-check.js';
export default { ...fc, assert };
