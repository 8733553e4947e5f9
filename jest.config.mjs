import { readFileSync } from 'node:fs';

const swc = JSON.parse(readFileSync(new URL('./.swcrc', import.meta.url), 'utf8'));
delete swc.$schema;

/** Tests that need real servers: `*.cluster.spec.ts`, run when asked for. */
const cluster = '\\.cluster\\.spec\\.ts$';
const withCluster = process.env.PARLANCE_CLUSTER_TESTS === '1';

/** One Jest for the whole repository: a project each for unit and contract tests, for system tests over HTTP, and for real servers. */
const shared = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', { ...swc, swcrc: false, sourceMaps: 'inline' }] },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  testEnvironmentOptions: { customExportConditions: ['@parlance/source', 'node', 'node-addons', 'import', 'default'] },
  modulePathIgnorePatterns: ['/dist/'],
};

export default {
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: ['<rootDir>/{apps,libs,scripts}/**/*.spec.ts'],
      testPathIgnorePatterns: ['/node_modules/', cluster],
    },
    { ...shared, displayName: 'system', testMatch: ['<rootDir>/test/system/**/*.spec.ts'], testTimeout: 120_000 },
    ...(withCluster ? [{ ...shared, displayName: 'cluster', testMatch: ['<rootDir>/{apps,libs}/**/*.cluster.spec.ts'] }] : []),
  ],
  testTimeout: 30000,
  maxWorkers: 2,
};
