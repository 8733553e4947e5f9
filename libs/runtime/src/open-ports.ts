import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openEventBus, type EventBus, type EventBusDependencies } from '@parlance/event-bus';
import type { Clock, IdGenerator, Logger } from '@parlance/platform';
import type { Durability } from '@parlance/platform/sqlite';
import { openSearchIndex, SearchIndexOnFirstUse, type SearchIndex } from '@parlance/search-index';
import { openDocumentDatabase, openMediaStore, SealedDocumentDatabase, type DataKeys, type DocumentDatabase, type DocumentKeys, type MediaStore } from '@parlance/storage';
import { openTaskQueue, type TaskObserver, type TaskQueue } from '@parlance/task-queue';
import type { ServiceName } from './service-manifest.js';

export interface PortUrls {
  bus: string;
  /** Embedded: one file for all services. On a server: one database for each service, as for documents. */
  tasks: string;
  /** Each service has a database of its own below this URL. */
  documents: string;
  media: string;
  search: string;
  /** Passwords are kept out of the URLs, which are logged and copied. */
  busPassword?: string | undefined;
  documentsPassword?: string | undefined;
  searchPassword?: string | undefined;
}

export interface PortDependencies {
  clock: Clock;
  ids: IdGenerator;
  log: Logger;
  /** The durability of the embedded adapters; default: power. */
  durability?: Durability;
}

/** The settings of which `portUrls` makes the places of the ports. */
export interface UrlConfig {
  PARLANCE_DATA: string;
  EVENT_BUS_URL?: string | undefined;
  TASK_QUEUE_URL?: string | undefined;
  DATABASE_URL?: string | undefined;
  MEDIA_URL?: string | undefined;
  SEARCH_URL?: string | undefined;
  KAFKA_PASSWORD?: string | undefined;
  DATABASE_PASSWORD?: string | undefined;
  SEARCH_PASSWORD?: string | undefined;
}

/** The URL of each port's adapter; an adapter that is not configured keeps its files in the data folder. */
export function portUrls(config: UrlConfig): PortUrls {
  const data = resolve(config.PARLANCE_DATA);
  return {
    bus: config.EVENT_BUS_URL ?? `sqlite:${join(data, 'events.db')}`,
    tasks: config.TASK_QUEUE_URL ?? defaultTasks(config, data),
    documents: config.DATABASE_URL ?? `sqlite:${join(data, 'documents')}`,
    media: config.MEDIA_URL ?? `file:${join(data, 'media')}`,
    search: config.SEARCH_URL ?? `sqlite:${join(data, 'search.db')}`,
    busPassword: config.KAFKA_PASSWORD,
    documentsPassword: config.DATABASE_PASSWORD,
    searchPassword: config.SEARCH_PASSWORD,
  };
}

/** Beside the documents: on their server, or in the data folder. */
const defaultTasks = ({ DATABASE_URL }: UrlConfig, data: string): string =>
  DATABASE_URL === undefined || DATABASE_URL.startsWith('sqlite:') ? `sqlite:${join(data, 'tasks.db')}` : DATABASE_URL;

/** The folder of the models that run on this machine. All services share it, and only parlance-admin writes to it. */
export const modelsFolder = ({ MODELS_FOLDER, PARLANCE_DATA }: { MODELS_FOLDER?: string | undefined; PARLANCE_DATA: string }): string =>
  resolve(MODELS_FOLDER ?? join(PARLANCE_DATA, 'models'));

/** The folder in which the service keeps files while it works on them. It is emptied at each start. */
export const scratchFolder = ({ SCRATCH_FOLDER, PARLANCE_DATA }: { SCRATCH_FOLDER?: string | undefined; PARLANCE_DATA: string }, service: string): string =>
  resolve(SCRATCH_FOLDER ?? join(PARLANCE_DATA, 'scratch'), service);

/** True when any port of these services keeps its state in files that only one process may use. Only `search` uses the index. */
export const isEmbedded = ({ bus, tasks, documents, search }: PortUrls, services: readonly ServiceName[]): boolean =>
  [bus, tasks, documents, ...(services.includes('search') ? [search] : [])].some((url) => url.startsWith('sqlite:'));

/** True when the URL names files of this process, false when it names a server. */
export const isOwnDisk = (url: string): boolean => url.startsWith('sqlite:') || url.startsWith('file:');

const MAX_ABORT_GRACE_MS = 5000;

/** Divides the grace of a stopping process: handlers get half to end by themselves and a fifth to end once aborted; the rest is for closing everything else. */
export function shutdownTimes(graceSeconds: number): Pick<EventBusDependencies, 'drainMs' | 'graceMs'> {
  return { drainMs: graceSeconds * 500, graceMs: Math.min(MAX_ABORT_GRACE_MS, graceSeconds * 200) };
}

export const openBus = (urls: PortUrls, dependencies: PortDependencies, times: Pick<EventBusDependencies, 'drainMs' | 'graceMs'> = {}): Promise<EventBus> =>
  openEventBus(urls.bus, { ...dependencies, ...times, kafkaPassword: urls.busPassword });

/** Opens the queue of one service; an embedded queue is shared by all services of the process. */
export const openTasks = (
  urls: PortUrls,
  dependencies: PortDependencies,
  options: Pick<EventBusDependencies, 'drainMs' | 'graceMs'> & { service?: ServiceName; observer?: TaskObserver; isOwner?: boolean; maxTakeOvers?: number } = {},
): Promise<TaskQueue> => openTaskQueue(urls.tasks, { ...dependencies, ...options, password: urls.documentsPassword });

/** @param keys seal the media; without them it is stored in clear */
export const openMedia = (urls: PortUrls, keys?: DataKeys, options?: { onlyMarked?: boolean }): Promise<MediaStore> => openMediaStore(urls.media, keys, options);

/** Opens the index for `search`, an embedded one on first use. @param dimensions of the vectors that its engine makes */
export async function openSearch(urls: PortUrls, dimensions: number, { log, durability }: Pick<PortDependencies, 'log' | 'durability'>): Promise<SearchIndex> {
  const open = () => openSearchIndex(urls.search, { dimensions, log, durability, password: urls.searchPassword });
  const isAlone = urls.search.startsWith('sqlite:') && !urls.bus.startsWith('sqlite:');
  if (isAlone) log.warn('SEARCH_URL is not set: each process keeps its own index in files, so two processes would each find only a part');
  return urls.search.startsWith('sqlite:') ? new SearchIndexOnFirstUse(open) : open();
}

/**
 * The service's own database: a file below the folder, or a database of its name on the server.
 *
 * @param keys of its sealed fields; undefined: it stores them in clear, and cannot read what is sealed
 */
export async function openDocuments(urls: PortUrls, service: ServiceName, dependencies: PortDependencies, keys?: DocumentKeys): Promise<SealedDocumentDatabase> {
  return new SealedDocumentDatabase(await openStoredDocuments(urls, service, dependencies), service, keys);
}

/** The database as it is stored: sealed fields are not opened. `keys` is the one of the wrapped keys, which no service owns. */
export function openStoredDocuments(urls: PortUrls, name: ServiceName | 'keys', dependencies: PortDependencies): Promise<DocumentDatabase> {
  let url = urls.documents;
  if (url.startsWith('sqlite:')) {
    const folder = url.slice('sqlite:'.length);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    url = `sqlite:${join(folder, `${name}.db`)}`;
  }
  return openDocumentDatabase(url, { ...dependencies, source: name, password: urls.documentsPassword });
}
