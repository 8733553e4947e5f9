// What property tests import as fast-check. A random seed each time finds new cases on a developer's machine; in CI the cases
// are the same in every build (PROPERTY_SEED, or CHANCE_SEED for all that tests leave to chance). CI tries all cases of a property (RANDOM_CASES=all), `npm test`
// every fourth, and 25 at least. A property that asks for fewer than 25 cases has slow ones, each with processes or stores of its own:
// `npm test` tries every fourth of those too.
import fc from '../node_modules/fast-check/lib/fast-check.js';
import { fixedSeed } from '../libs/platform/src/contract/chance.ts';

const MIN_CASES = 25;
const DEFAULT_CASES = 100;

// Without it, fast-check takes a fresh seed for each property, and prints it with a failure.
const seed = fixedSeed('PROPERTY_SEED');
if (seed !== undefined) fc.configureGlobal({ seed });

function casesOf(numRuns) {
  if (process.env.RANDOM_CASES === 'all') return numRuns;
  const fourth = Math.ceil(numRuns / 4);
  return numRuns < MIN_CASES ? fourth : Math.max(MIN_CASES, fourth);
}

export const assert = (property, { numRuns = DEFAULT_CASES, ...parameters } = {}) => fc.assert(property, { ...parameters, numRuns: casesOf(numRuns) });

export * from '../node_modules/fast-check/lib/fast-check.js';
export default { ...fc, assert };
