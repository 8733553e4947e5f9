import { readFileSync } from 'node:fs';
import { testPackages } from './scripts/test-packages.mjs';
import { isQuick, slowSuites } from './test/slow-tests.mjs';

const swc = JSON.parse(readFileSync(new URL('./.swcrc', import.meta.url), 'utf8'));
delete swc.$schema;

/** Tests that need real servers: `*.cluster.spec.ts`, run when asked for. */
const cluster = '\\.cluster\\.spec\\.ts$';
/** Suites that the quick run leaves to .ci/full. Their names are checked in each run. */
const slow = slowSuites();
const leftOut = isQuick() ? slow : [];
const withCluster = process.env.PARLANCE_CLUSTER_TESTS === '1';

/** Jest heeds a `testTimeout` of its own of no project. */
const allowForStarts = '<rootDir>/test/allow-for-starts.mjs';

/** One Jest for the whole repository: a project each for unit and contract tests, for system tests over HTTP, and for real servers. */
const shared = {
  testEnvironment: process.env.TEST_CPU ? '<rootDir>/test/cpu-by-suite.mjs' : '<rootDir>/test/environment.mjs',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', { ...swc, swcrc: false, sourceMaps: true }] },
  moduleNameMapper: {
    ...testPackages(),
    '^fast-check$': '<rootDir>/test/seeded-fast-check.mjs',
    // Its ES module and its CommonJS one are a cycle when both are loaded.
    '^ws$': '<rootDir>/node_modules/ws/index.js',
    // zod's messages in fifty languages, of which the product uses English: every suite would load them.
    '^\\.\\./locales/index\\.js$': '<rootDir>/node_modules/zod/v4/locales/en.js',
    // Tests run the sources of the JavaScript client, not what was built of them.
    '^@parlance/client$': '<rootDir>/sdks/javascript/src/index.ts',
    '^@parlance/client/node$': '<rootDir>/sdks/javascript/src/node.ts',
    '^@parlance/client/sealed-media$': '<rootDir>/sdks/javascript/src/sealed-media.ts',
    '^(\\.{1,2}/(?!node_modules/|.*/node_modules/).*)\\.js$': '$1',
  },
  testEnvironmentOptions: { customExportConditions: ['@parlance/source', 'node', 'node-addons', 'import', 'default'] },
  modulePathIgnorePatterns: ['/dist/', '<rootDir>/bundle/'],
};

/** Suites of the adapters; the system suite over its other shape (PARLANCE_SHAPE=cluster), with what only several processes can show. */
function clusterProjects() {
  return [
    { ...shared, displayName: 'cluster', testMatch: ['<rootDir>/{apps,libs}/**/*.cluster.spec.ts'] },
    { ...shared, displayName: 'cluster-system', testMatch: ['<rootDir>/test/{system,cluster}/**/*.spec.ts'], setupFilesAfterEnv: [allowForStarts] },
  ];
}

export default {
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: ['<rootDir>/{apps,libs,scripts,sdks}/**/*.spec.ts'],
      testPathIgnorePatterns: ['/node_modules/', cluster, ...leftOut],
    },
    {
      ...shared,
      displayName: 'system',
      testMatch: ['<rootDir>/test/{system,embedded}/**/*.spec.ts'],
      testPathIgnorePatterns: ['/node_modules/', ...leftOut],
      setupFilesAfterEnv: [allowForStarts],
    },
    ...(withCluster ? clusterProjects() : []),
  ],
  // Several times what the slowest needs on a busy machine: what hangs ends, and what is merely slow does not fail.
  testTimeout: 120_000 * Number(process.env.TIME_FACTOR ?? 1),
  // A worker ends within a millisecond of being told to, then the system takes back a gigabyte: up to a second on a busy machine,
  // and Jest's 500 ms called that a leak. What keeps a worker from ending is still reported, later.
  workerGracefulExitTimeout: 15_000,
  reporters: ['default', ...(isQuick() ? ['<rootDir>/test/left-to-ci.mjs'] : [])],
  testSequencer: '<rootDir>/test/slowest-first.mjs',
  // One more than two cores: a third of what tests take is waiting.
  maxWorkers: 3,
  // A worker grows by some 16 MB with each suite, and collections of a large heap stop its event loop for tenths of a second.
  workerIdleMemoryLimit: '1500MB',
};
