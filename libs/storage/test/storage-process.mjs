// Writes documents and objects as fast as it can until it is killed, and writes down what was done.
// node storage-process.mjs <url of the database> <url of the media store, or -> <journal> <life>
import { randomBytes } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { EVENTS } from '@parlance/contracts';
import { systemClock, ulidGenerator } from '@parlance/platform';
import { openDocumentDatabase, openMediaStore } from '@parlance/storage';

const [, , databaseUrl, mediaUrl, journal, life] = process.argv;
const note = (entry) => appendFileSync(journal, `${JSON.stringify(entry)}\n`);
const database = await openDocumentDatabase(databaseUrl, { clock: systemClock, ids: ulidGenerator(), source: 'test' });
const media = mediaUrl === '-' ? undefined : await openMediaStore(mediaUrl);
const counters = database.collection({ name: 'counters', indexes: [] });

async function* randomBody() {
  for (let chunk = 0; chunk < 8; chunk += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    yield randomBytes(10_000);
  }
}

async function count(id) {
  for (;;) {
    const { stored } = await counters.update(id, (current) => {
      const value = (current?.value ?? 0) + 1;
      const created = EVENTS['job.created'].codec.fromJSON({ jobId: id, sequence: value });
      return { document: { id, createdAt: '2026-01-01T00:00:00.000Z', value }, events: [{ type: 'job.created', data: created }] };
    });
    note({ counter: id, value: stored.document.value });
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function store() {
  for (let object = 0; ; object += 1) {
    const key = `acc/${life}/${object % 20}`;
    await media.put(key, randomBody());
    note({ key });
  }
}

await Promise.all([count('a'), count('b'), ...(media ? [store(), store()] : [])]);
