// What property tests import as fast-check. A random seed each time finds new cases on a developer's machine; in CI the cases of
// a commit are the same however often it is built (PROPERTY_SEED).
import fc from '../node_modules/fast-check/lib/fast-check.js';

const seed = Number(process.env.PROPERTY_SEED);
if (seed) fc.configureGlobal({ seed });

export * from '../node_modules/fast-check/lib/fast-check.js';
export default fc;
