import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { runAdmin, SAMPLES } from '@parlance/testing';
import { ParlanceCluster } from '@parlance/testing/cluster';
import { storedBytes } from '../system/stored-bytes.js';

/** A word that only this test says. */
const SAID = 'Xanthippe';
const NEEDLE_BYTES = 24;

interface Migrated {
  documents: { sealed: number; skipped: number }[];
  media: { sealed: number; skipped: number };
}

let cluster: ParlanceCluster;
let folder: string;
const opened = new AsyncDisposableStack();
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parlance-migration-'));
  opened.defer(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'keys'), `1 ${Buffer.alloc(32, 9).toString('base64')}\n`, { mode: 0o600 });
  cluster = opened.use(await ParlanceCluster.start({ env: { SPEECH_ENGINE_URL: `fixture:?words=${SAID}`, KEY_PROVIDER: 'none' } }));
});
afterAll(() => opened.disposeAsync());

const keys = () => ({ KEY_PROVIDER: `local:${join(folder, 'keys')}` });
const migrate = async (...args: string[]) => JSON.parse(await runAdmin({ ...cluster.settings, ...keys() }, 'encryption', 'migrate', '--json', ...args)) as Migrated;
const sealedDocuments = ({ documents }: Migrated) => documents.reduce((sum, { sealed }) => sum + sealed, 0);

/** Names of documents and objects that have the word, or a part of the recording. Events and logs are not encrypted. */
async function holding(recording: Buffer): Promise<string[]> {
  const needles = [Buffer.from(SAID), ...[0.1, 0.5, 0.9].map((part) => recording.subarray(Math.floor(recording.length * part)).subarray(0, NEEDLE_BYTES))];
  const topics = new URL(cluster.settings['EVENT_BUS_URL'] ?? '').searchParams.get('topic-prefix') ?? '';
  const names = new Set<string>();
  for await (const { name, bytes } of storedBytes(cluster)) {
    if (name !== 'logs' && !name.startsWith(topics) && needles.some((needle) => bytes.includes(needle))) names.add(name);
  }
  return [...names].toSorted();
}

it('encryption migrate seals what MongoDB and S3 have in clear while the services are stopped, and everything is read afterwards', async () => {
  const recording = await readFile(SAMPLES.meeting.path);
  const jobId = await cluster.api.upload(SAMPLES.meeting.path);
  await cluster.api.terminal(jobId);
  await cluster.stop();
  expect(await holding(recording)).toEqual(expect.arrayContaining([expect.stringContaining(`/${jobId}/source`), expect.stringMatching(/transcript/)]));

  await expect(migrate()).rejects.toThrow(/--services-stopped/);
  const counted = await migrate('--services-stopped', '--dry-run');
  expect(sealedDocuments(counted)).toBeGreaterThan(1);
  expect(counted.media.sealed).toBeGreaterThanOrEqual(1);
  const migrated = await migrate('--services-stopped');
  expect([sealedDocuments(migrated), migrated.media.sealed]).toEqual([sealedDocuments(counted), counted.media.sealed]);
  expect(await holding(recording)).toEqual([]);
  expect(sealedDocuments(await migrate('--services-stopped'))).toBe(0);

  await cluster.restart(keys());
  expect((await cluster.api.job(jobId)).transcript?.text).toContain(SAID);
  const media = await cluster.api.request('GET', `/transcriptions/${jobId}/media`);
  expect(Buffer.from(await media.arrayBuffer()).equals(recording)).toBe(true);
});
