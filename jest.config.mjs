import { readFileSync } from 'node:fs';

const swc = JSON.parse(readFileSync(new URL('./.swcrc', import.meta.url), 'utf8'));
delete swc.$schema;

/** One Jest for the whole repository: a project each for unit and contract tests, and for system tests over HTTP. */
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
    { ...shared, displayName: 'unit', testMatch: ['<rootDir>/{apps,libs,scripts}/**/*.spec.ts'] },
    { ...shared, displayName: 'system', testMatch: ['<rootDir>/test/system/**/*.spec.ts'] },
  ],
  testTimeout: 30000,
  maxWorkers: 2,
};
