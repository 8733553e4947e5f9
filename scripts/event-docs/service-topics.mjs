// Finds the topics that each service reads and writes in the built code, so that no list has to be kept.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withIdleServices } from '../../apps/standalone/dist/backup/idle-services.js';
import { EVENTS, TOPICS } from '../../libs/contracts/dist/index.js';
import { root } from '../setup.mjs';

/** The group that takes deleted jobs out of the log: its service needs more of the broker than to read. */
const ERASES = 'log-erasures';

async function sourcesUnder(folder, except = 'none') {
  const files = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith('.js') && !path.startsWith(`${except}/`));
  return Promise.all(files.map((path) => readFile(join(folder, path), 'utf8')));
}

/** Types of the events that a source makes: `type: 'job.created'`. Types of TypeScript are gone from what is built. */
const typesIn = (source) => Object.keys(EVENTS).filter((type) => new RegExp(`\\btype: ['"]${type.replace('.', '\\.')}['"]`).test(source));

/** True when the source makes an object of the class, or extends it. */
const uses = (source, name) => source.includes(`new ${name}(`) || source.includes(`extends ${name} `);

/** Classes of libs that publish for the service that makes one, and those that make these. Those of libs/stage are the events of all stages, and of an erasure. */
async function sharedPublishers() {
  const ofStages = (await sourcesUnder(join(root, 'libs/stage/dist'), 'contract')).flatMap(typesIn);
  const classes = new Map([['StageLedger', { source: '', types: ofStages }], ['JobErasure', { source: '', types: ['erasure.reported'] }]]);
  const sources = await sourcesUnder(join(root, 'libs/runtime/dist'));
  for (const source of sources) {
    const [, name] = /export class (\w+)/.exec(source) ?? [];
    if (name) classes.set(name, { source, types: typesIn(source) });
  }
  for (const made of classes.values()) {
    for (const [name, { types }] of classes) if (uses(made.source, name)) made.types.push(...types);
  }
  return classes;
}

const topicsOf = (types) => Object.keys(TOPICS).filter((topic) => types.some((type) => EVENTS[type].topic === topic));
const inOrder = (topics) => Object.keys(TOPICS).filter((topic) => topics.has(topic));

async function typesPublishedBy(service, shared) {
  const sources = await sourcesUnder(join(root, 'apps', service, 'dist'));
  const own = sources.flatMap(typesIn);
  const made = [...shared].filter(([name]) => sources.some((source) => uses(source, name)));
  return [...new Set([...own, ...made.flatMap(([, { types }]) => types)])];
}

/** Events that are still consumed, so that a rolling upgrade loses none, and that nothing publishes any more. */
const OF_THE_VERSION_BEFORE = new Set(['chunk.requested', 'ingest.requested']);

/** Asks the application of each service, on empty embedded adapters, for its consumers. */
async function consumedTopics() {
  const dataFolder = await mkdtemp(join(tmpdir(), 'parlance-topics-'));
  const consumed = [];
  try {
    await withIdleServices({ PARLANCE_DATA: dataFolder }, async (services) => {
      for (const { manifest, app } of services) {
        const follows = (manifest.followers?.(app) ?? []).map(({ topic }) => topic);
        consumed.push({ name: manifest.name, consumers: manifest.consumers(app), follows });
      }
    });
  } finally {
    await rm(dataFolder, { recursive: true, force: true });
  }
  return consumed;
}

/** @throws Error when the services publish a type that nobody publishes, or leave a topic unread that is not public */
export async function serviceTopics() {
  const shared = await sharedPublishers();
  const services = await Promise.all(
    (await consumedTopics()).map(async ({ name, consumers, follows }) => {
      const erases = consumers.some(({ group }) => group === ERASES);
      const types = await typesPublishedBy(name, shared);
      const groups = consumers.map(({ topic, group }) => ({ topic, group: `${topic}.${group}` }));
      const consumed = new Set(consumers.map(({ topic }) => topic));
      return { name, groups, types, erases, follows: inOrder(new Set(follows)), consumes: inOrder(consumed), publishes: topicsOf(types) };
    }),
  );
  const published = new Set(services.flatMap(({ types }) => types));
  const unpublished = Object.keys(EVENTS).filter((type) => !published.has(type) && !OF_THE_VERSION_BEFORE.has(type));
  if (unpublished.length > 0) throw new Error(`Nothing in apps/*/dist publishes ${unpublished.join(', ')}.`);
  return services.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
