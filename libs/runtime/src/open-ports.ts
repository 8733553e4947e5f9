import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openEventBus, type EventBus, type EventBusDependencies } from '@parlance/event-bus';
import type { Clock, IdGenerator, Logger } from '@parlance/platform';
import { openSearchIndex, SearchIndexOnFirstUse, type SearchIndex } from '@parlance/search-index';
import { openDocumentDatabase, openMediaStore, type DocumentDatabase, type MediaStore } from '@parlance/storage';
import type { ServiceName } from './service-manifest.js';

export interface PortUrls {
  bus: string;
  /** A database a service is made from it. */
  documents: string;
  media: string;
  search: string;
  /** Kept out of the URLs, which are logged and copied about. */
  busPassword?: string | undefined;
  documentsPassword?: string | undefined;
  searchPassword?: string | undefined;
}

export interface PortDependencies {
  clock: Clock;
  ids: IdGenerator;
  log: Logger;
}

interface UrlConfig {
  PARLANCE_DATA: string;
  EVENT_BUS_URL?: string | undefined;
  DATABASE_URL?: string | undefined;
  MEDIA_URL?: string | undefined;
  SEARCH_URL?: string | undefined;
  KAFKA_PASSWORD?: string | undefined;
  DATABASE_PASSWORD?: string | undefined;
  SEARCH_PASSWORD?: string | undefined;
}

/** Where each port's adapter is; what is not configured lies in the data folder. */
export function portUrls(config: UrlConfig): PortUrls {
  const data = resolve(config.PARLANCE_DATA);
  return {
    bus: config.EVENT_BUS_URL ?? `sqlite:${join(data, 'events.db')}`,
    documents: config.DATABASE_URL ?? `sqlite:${join(data, 'documents')}`,
    media: config.MEDIA_URL ?? `file:${join(data, 'media')}`,
    search: config.SEARCH_URL ?? `sqlite:${join(data, 'search.db')}`,
    busPassword: config.KAFKA_PASSWORD,
    documentsPassword: config.DATABASE_PASSWORD,
    searchPassword: config.SEARCH_PASSWORD,
  };
}

/** Where the models are that run on this machine: of all services one, and written by parlance-admin only. */
export const modelsFolder = ({ MODELS_FOLDER, PARLANCE_DATA }: { MODELS_FOLDER?: string | undefined; PARLANCE_DATA: string }): string =>
  resolve(MODELS_FOLDER ?? join(PARLANCE_DATA, 'models'));

/** Whether any port of these services keeps its state in files that one process alone may use; the index is that of one service. */
export const isEmbedded = ({ bus, documents, search }: PortUrls, services: readonly ServiceName[]): boolean =>
  [bus, documents, ...(services.includes('search') ? [search] : [])].some((url) => url.startsWith('sqlite:'));

const MAX_ABORT_GRACE_MS = 5000;

/** How a process that was told to stop spends its grace on handlers: half to end by themselves, a fifth to end once aborted; the rest is for closing everything else. */
export function shutdownTimes(graceSeconds: number): Pick<EventBusDependencies, 'drainMs' | 'graceMs'> {
  return { drainMs: graceSeconds * 500, graceMs: Math.min(MAX_ABORT_GRACE_MS, graceSeconds * 200) };
}

export const openBus = (urls: PortUrls, dependencies: PortDependencies, times: Pick<EventBusDependencies, 'drainMs' | 'graceMs'> = {}): Promise<EventBus> =>
  openEventBus(urls.bus, { ...dependencies, ...times, kafkaPassword: urls.busPassword });

export const openMedia = (urls: PortUrls): Promise<MediaStore> => openMediaStore(urls.media);

/** For the one service that searches; an embedded index once it is used. @param dimensions of the vectors that its engine makes */
export async function openSearch(urls: PortUrls, dimensions: number, { log }: Pick<PortDependencies, 'log'>): Promise<SearchIndex> {
  const open = () => openSearchIndex(urls.search, { dimensions, log, password: urls.searchPassword });
  const isAlone = urls.search.startsWith('sqlite:') && !urls.bus.startsWith('sqlite:');
  if (isAlone) log.warn('SEARCH_URL is not set: the index is in the files of this process, and of two each would find a part');
  return urls.search.startsWith('sqlite:') ? new SearchIndexOnFirstUse(open) : open();
}

/** The service's own database: a file below the folder, or a database of its name on the server. */
export function openDocuments(urls: PortUrls, service: ServiceName, dependencies: PortDependencies): Promise<DocumentDatabase> {
  let url = urls.documents;
  if (url.startsWith('sqlite:')) {
    const folder = url.slice('sqlite:'.length);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    url = `sqlite:${join(folder, `${service}.db`)}`;
  }
  return openDocumentDatabase(url, { ...dependencies, source: service, password: urls.documentsPassword });
}
