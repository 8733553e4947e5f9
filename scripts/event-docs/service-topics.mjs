// Which topics each service reads and writes, taken from the built code, so that nobody keeps a list of it.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ingestConsumers, ingestFollowers } from '../../apps/ingest/dist/consumers/ingest-consumers.js';
import { manifests } from '../../apps/standalone/dist/manifests.js';
import { EVENTS, TOPICS } from '../../libs/contracts/dist/index.js';
import { root } from '../setup.mjs';

/** Stands for whatever a consumer is wired with: any property, any call. Nothing runs it. */
const anything = new Proxy(() => anything, { get: (_, property) => (property === Symbol.toPrimitive ? () => 0 : anything) });

/** The one service whose consumers its Nest container holds ready-made. */
const ingest = { consumers: ingestConsumers(anything), followers: ingestFollowers(anything) };
const appOf = (name) => ({ get: () => (name === 'ingest' ? ingest : anything) });

/** The group that takes deleted jobs out of the log: its service needs more of the broker than to read. */
const ERASES = 'log-erasures';

async function sourcesUnder(folder) {
  const files = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith('.js'));
  return Promise.all(files.map((path) => readFile(join(folder, path), 'utf8')));
}

/** Types of the events that a source makes: `type: 'job.created'`. Types of TypeScript are gone from what is built. */
const typesIn = (source) => Object.keys(EVENTS).filter((type) => new RegExp(`\\btype: ['"]${type.replace('.', '\\.')}['"]`).test(source));

/** Classes of libs/runtime that publish for the service that makes one, and those that make these. */
async function sharedPublishers() {
  const classes = new Map();
  const sources = await sourcesUnder(join(root, 'libs/runtime/dist'));
  for (const source of sources) {
    const [, name] = /export class (\w+)/.exec(source) ?? [];
    if (name) classes.set(name, { source, types: typesIn(source) });
  }
  for (const made of classes.values()) {
    for (const [name, { types }] of classes) if (made.source.includes(`new ${name}(`)) made.types.push(...types);
  }
  return classes;
}

const topicsOf = (types) => Object.keys(TOPICS).filter((topic) => types.some((type) => EVENTS[type].topic === topic));
const inOrder = (topics) => Object.keys(TOPICS).filter((topic) => topics.has(topic));

async function typesPublishedBy(service, shared) {
  const sources = await sourcesUnder(join(root, 'apps', service, 'dist'));
  const own = sources.flatMap(typesIn);
  const made = [...shared].filter(([name]) => sources.some((source) => source.includes(`new ${name}(`)));
  return [...new Set([...own, ...made.flatMap(([, { types }]) => types)])];
}

/** @throws Error when the services publish a type that nobody publishes, or leave a topic unread that is not public */
export async function serviceTopics() {
  const shared = await sharedPublishers();
  const services = await Promise.all(
    manifests.map(async (manifest) => {
      const { name } = manifest;
      const consumers = manifest.consumers(appOf(name));
      const erases = consumers.some(({ group }) => group === ERASES);
      const follows = (manifest.followers?.(appOf(name)) ?? []).map(({ topic }) => topic);
      const types = await typesPublishedBy(name, shared);
      const groups = consumers.map(({ topic, group }) => ({ topic, group: `${topic}.${group}` }));
      const consumed = new Set(consumers.map(({ topic }) => topic));
      return { name, groups, types, erases, follows: inOrder(new Set(follows)), consumes: inOrder(consumed), publishes: topicsOf(types) };
    }),
  );
  const published = new Set(services.flatMap(({ types }) => types));
  const unpublished = Object.keys(EVENTS).filter((type) => !published.has(type));
  if (unpublished.length > 0) throw new Error(`Nothing in apps/*/dist publishes ${unpublished.join(', ')}.`);
  return services.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
