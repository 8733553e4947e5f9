import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SHAPE, type Parlance } from '@parlance/testing';
import { MongoClient } from 'mongodb';

/** Collections that keep ids of an erased account as evidence, or to let nothing late bring it back. None has content. */
const KEPT = new Set([
  'gateway/audit_records', 'gateway/audit_anchors', 'gateway/erased_accounts', 'gateway/usage_entries', 'gateway/usage_days', 'gateway/usage_balances',
  'ingest/account_erasures', 'ingest/erasures', 'ingest/in_flight',
  // Tombstones of deleted jobs.
  'diarization/jobs', 'search/indexed_jobs', 'summary/job_inputs', 'transcription/jobs',
]);

/** The collections, as `service/collection`, that have a document with the text, besides those that keep ids. */
export async function collectionsWith(parlance: Parlance, text: string): Promise<string[]> {
  const found = SHAPE === 'embedded' ? await inFolder(join(parlance.settings['PARLANCE_DATA'] ?? '', 'documents'), text) : await inMongo(parlance.settings['DATABASE_URL'] ?? '', text);
  return found.filter((name) => !KEPT.has(name)).toSorted();
}

async function inFolder(folder: string, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const file of (await readdir(folder)).filter((name) => name.endsWith('.db') && name !== 'keys.db')) {
    const database = new DatabaseSync(join(folder, file), { readOnly: true });
    try {
      for (const { name } of database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'documents_%'").all()) {
        const row = database.prepare(`SELECT count(*) AS count FROM "${String(name)}" WHERE instr(id || document, ?) > 0`).get(text);
        if (Number(row?.['count']) > 0) found.push(`${file.slice(0, -'.db'.length)}/${String(name).slice('documents_'.length)}`);
      }
    } finally {
      database.close();
    }
  }
  return found;
}

async function inMongo(url: string, text: string): Promise<string[]> {
  const parsed = new URL(url);
  const installation = parsed.pathname.slice(1);
  await using client = await MongoClient.connect(url);
  const { databases } = await client.db().admin().listDatabases();
  const found: string[] = [];
  for (const { name } of databases.filter((each) => each.name.startsWith(`${installation}_`) && !each.name.endsWith('_keys'))) {
    for (const { name: collection } of await client.db(name).listCollections().toArray()) {
      for await (const document of client.db(name).collection(collection).find()) {
        if (isErasureTask(collection, document) || !JSON.stringify(document).includes(text)) continue;
        found.push(`${name.slice(installation.length + 1)}/${collection}`);
        break;
      }
    }
  }
  return found;
}

/** Erasures of jobs are repeated after a minute and an hour, for what was written late: their tasks have ids alone. */
const isErasureTask = (collection: string, document: Record<string, unknown>): boolean => collection === 'task_queue.tasks' && String(document['queue']).endsWith('-erasure');
