// Bundles the packages that most suites need, unless they are there.
import { makeTestPackages } from './test-packages.mjs';

await makeTestPackages();
