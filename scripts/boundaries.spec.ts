import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const repository = process.cwd();
const cruiser = resolve('node_modules/dependency-cruiser/bin/dependency-cruise.mjs');

/** A small tree with one file for each way to break the architecture, and one that keeps it. */
const PLANTED: Record<string, string> = {
  'libs/platform/src/index.ts': `export const a = 1;\n`,
  'libs/storage/src/index.ts': `export const s = 1;\n`,
  'libs/storage/src/documents/sqlite/sqlite-document-database.ts': `export const d = 1;\n`,
  'apps/search/src/service.ts': `export const b = 1;\n`,
  'apps/summary/src/lawful.ts': `export { a } from '../../../libs/platform/src/index.js';\n`,
  'apps/summary/src/imports-a-service.ts': `export { b } from '../../search/src/service.js';\n`,
  'apps/summary/src/chooses-an-adapter.ts': `export { d } from '../../../libs/storage/src/documents/sqlite/sqlite-document-database.js';\n`,
  'libs/event-bus/src/kafka/kafka-event-bus.ts': `export const k = 1;\n`,
  'libs/storage/src/documents/mongo/mongo-document-database.ts': `export const m = 1;\n`,
  'libs/storage/src/media/s3/s3-media-store.ts': `export const o = 1;\n`,
  'apps/summary/src/chooses-kafka.ts': `export { k } from '../../../libs/event-bus/src/kafka/kafka-event-bus.js';\n`,
  'apps/summary/src/chooses-mongo.ts': `export { m } from '../../../libs/storage/src/documents/mongo/mongo-document-database.js';\n`,
  'libs/search-index/src/sqlite/sqlite-search-index.ts': `export const f = 1;\n`,
  'libs/search-index/src/opensearch/opensearch-search-index.ts': `export const e = 1;\n`,
  'apps/summary/src/chooses-fts.ts': `export { f } from '../../../libs/search-index/src/sqlite/sqlite-search-index.js';\n`,
  'apps/summary/src/chooses-opensearch.ts': `export { e } from '../../../libs/search-index/src/opensearch/opensearch-search-index.js';\n`,
  'apps/summary/src/chooses-s3.ts': `export { o } from '../../../libs/storage/src/media/s3/s3-media-store.js';\n`,
  'libs/platform/src/imports-upwards.ts': `export { s } from '../../storage/src/index.js';\n`,
  'libs/storage/src/imports-a-service.ts': `export { b } from '../../../apps/search/src/service.js';\n`,
  'libs/storage/src/round.ts': `export { trip } from './trip.js';\nexport const round = 1;\n`,
  'libs/storage/src/trip.ts': `export { round } from './round.js';\nexport const trip = 1;\n`,
  'libs/storage/src/lost.ts': `export { nothing } from './not-there.js';\n`,
};

interface Violation {
  from: string;
  rule: { name: string };
}

describe('the boundary rules', () => {
  let tree: string;
  let violations: Violation[];

  beforeAll(async () => {
    tree = await mkdtemp(join(tmpdir(), 'parlance-boundaries-'));
    for (const [path, text] of Object.entries(PLANTED)) {
      await mkdir(dirname(join(tree, path)), { recursive: true });
      await writeFile(join(tree, path), text);
    }
    for (const file of ['tsconfig.json', 'tsconfig.base.json', '.dependency-cruiser.cjs']) await cp(join(repository, file), join(tree, file));
    await writeFile(join(tree, 'package.json'), '{"type":"module"}');
    violations = await cruise(tree);
  });

  afterAll(() => rm(tree, { recursive: true, force: true }));

  it.each([
    ['apps/summary/src/imports-a-service.ts', 'a-service-never-imports-another'],
    ['apps/summary/src/chooses-an-adapter.ts', 'adapters-are-chosen-at-the-root-only'],
    ['apps/summary/src/chooses-kafka.ts', 'adapters-are-chosen-at-the-root-only'],
    ['apps/summary/src/chooses-mongo.ts', 'adapters-are-chosen-at-the-root-only'],
    ['apps/summary/src/chooses-fts.ts', 'adapters-are-chosen-at-the-root-only'],
    ['apps/summary/src/chooses-opensearch.ts', 'adapters-are-chosen-at-the-root-only'],
    ['apps/summary/src/chooses-s3.ts', 'adapters-are-chosen-at-the-root-only'],
    ['libs/platform/src/imports-upwards.ts', 'libs-of-layer-0-import-nothing-above'],
    ['libs/storage/src/imports-a-service.ts', 'a-lib-never-imports-a-service'],
    ['libs/storage/src/round.ts', 'no-cycles'],
    ['libs/storage/src/lost.ts', 'nothing-unresolvable'],
  ])('catch %s by %s', (from, name) => {
    expect(violations).toContainEqual(expect.objectContaining({ from, rule: expect.objectContaining({ name }) }));
  });

  it('leave a lawful import alone', () => {
    expect(violations.filter(({ from }) => from === 'apps/summary/src/lawful.ts')).toEqual([]);
  });
});

function cruise(cwd: string): Promise<Violation[]> {
  return new Promise((done, fail) => {
    const args = [cruiser, '--config', '.dependency-cruiser.cjs', '--output-type', 'json', 'apps', 'libs'];
    const env = { ...process.env, NODE_OPTIONS: '', NODE_PATH: join(repository, 'node_modules') };
    execFile(process.execPath, args, { cwd, env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (stdout === '') fail(new Error(stderr, { cause: error }));
      else done((JSON.parse(stdout) as { summary: { violations: Violation[] } }).summary.violations);
    });
  });
}
