import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { filesBelow, SHAPE, type Parlance } from '@parlance/testing';
import type { Kafka } from 'kafkajs';

interface StoredBytes {
  name: string;
  bytes: Buffer;
}

/** Milliseconds after which a record that cannot be read fails the test. */
const READ_MS = 30_000;

/** Everything that a product stores, piece by piece, but for its scratch files: objects of media, documents, events, tasks and logs. */
export async function* storedBytes(parlance: Parlance): AsyncGenerator<StoredBytes> {
  if (SHAPE === 'embedded') yield* filesOf(parlance);
  else yield* serversOf(parlance);
}

async function* filesOf({ settings }: Parlance): AsyncGenerator<StoredBytes> {
  const folder = settings['PARLANCE_DATA'] ?? '';
  for (const file of await filesBelow(folder)) {
    const name = relative(folder, file);
    const bytes = name.startsWith('scratch/') ? undefined : await readFile(join(folder, name)).catch(() => undefined);
    if (bytes) yield { name, bytes };
  }
}

async function* serversOf(parlance: Parlance): AsyncGenerator<StoredBytes> {
  yield { name: 'logs', bytes: Buffer.from(await parlance.log()) };
  yield* objectsOf(parlance.settings['MEDIA_URL'] ?? '');
  yield* documentsOf(parlance.settings['DATABASE_URL'] ?? '');
  yield* messagesOf(new URL(parlance.settings['EVENT_BUS_URL'] ?? ''));
}

async function* objectsOf(url: string): AsyncGenerator<StoredBytes> {
  const { openMediaStore, readObject } = await import('@parlance/storage');
  const store = await openMediaStore(url);
  for await (const { key } of store.list('')) {
    const bytes = await readObject(store, key).catch(() => undefined);
    if (bytes) yield { name: key, bytes: Buffer.from(bytes) };
  }
}

async function* documentsOf(url: string): AsyncGenerator<StoredBytes> {
  const { MongoClient } = await import('mongodb');
  const base = new URL(url).pathname.slice(1);
  await using client = await MongoClient.connect(url);
  const { databases } = await client.db().admin().listDatabases({ nameOnly: true });
  for (const { name } of databases.filter((database) => database.name.startsWith(base))) {
    for (const { collectionName } of await client.db(name).collections()) {
      for await (const document of client.db(name).collection(collectionName).find()) yield { name: `${name}.${collectionName}`, bytes: Buffer.from(JSON.stringify(document)) };
    }
  }
}

/** All records of the topics of the installation. */
async function* messagesOf({ host, searchParams }: URL): AsyncGenerator<StoredBytes> {
  const { default: kafkajs } = await import('kafkajs');
  const kafka = new kafkajs.Kafka({ brokers: host.split(','), logLevel: kafkajs.logLevel.NOTHING });
  const unread = await lastOffsets(kafka, searchParams.get('topic-prefix') ?? '');
  if (unread.size === 0) return;
  const topics = [...new Set([...unread.keys()].map((name) => name.slice(0, name.lastIndexOf('/'))))];
  const found: StoredBytes[] = [];
  const read = Promise.withResolvers<void>();
  const consumer = kafka.consumer({ groupId: `stored-bytes-${randomUUID()}`, maxWaitTimeInMs: 200 });
  await consumer.connect();
  await consumer.subscribe({ topics, fromBeginning: true });
  await consumer.run({
    eachMessage: async ({ topic, partition, message: { offset, key, value } }) => {
      found.push({ name: topic, bytes: Buffer.concat([key ?? Buffer.alloc(0), value ?? Buffer.alloc(0)]) });
      const name = `${topic}/${partition}`;
      if (BigInt(offset) >= (unread.get(name) ?? 0n)) unread.delete(name);
      if (unread.size === 0) read.resolve();
    },
  });
  const late = setTimeout(() => read.reject(new Error(`not read: ${[...unread.keys()].join(', ')}`)), READ_MS);
  await read.promise.finally(() => clearTimeout(late));
  await consumer.disconnect();
  yield* found;
}

/** The offset of the last record of each partition that has one, by `<topic>/<partition>`. */
async function lastOffsets(kafka: Kafka, prefix: string): Promise<Map<string, bigint>> {
  const admin = kafka.admin();
  await admin.connect();
  const last = new Map<string, bigint>();
  for (const topic of (await admin.listTopics()).filter((name) => name.startsWith(prefix))) {
    for (const { partition, low, high } of await admin.fetchTopicOffsets(topic)) if (high !== low) last.set(`${topic}/${partition}`, BigInt(high) - 1n);
  }
  await admin.disconnect();
  return last;
}
