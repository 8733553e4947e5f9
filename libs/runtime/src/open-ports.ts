import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openEventBus, type EventBus } from '@parlance/event-bus';
import type { Clock, IdGenerator, Logger } from '@parlance/platform';
import { openDocumentDatabase, openMediaStore, type DocumentDatabase, type MediaStore } from '@parlance/storage';
import type { ServiceName } from './service-manifest.js';

export interface PortUrls {
  bus: string;
  /** A database a service is made from it. */
  documents: string;
  media: string;
  /** Kept out of the URLs, which are logged and copied about. */
  busPassword?: string | undefined;
  documentsPassword?: string | undefined;
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
  KAFKA_PASSWORD?: string | undefined;
  DATABASE_PASSWORD?: string | undefined;
}

/** Where each port's adapter is; what is not configured lies in the data folder. */
export function portUrls(config: UrlConfig): PortUrls {
  const data = resolve(config.PARLANCE_DATA);
  return {
    bus: config.EVENT_BUS_URL ?? `sqlite:${join(data, 'events.db')}`,
    documents: config.DATABASE_URL ?? `sqlite:${join(data, 'documents')}`,
    media: config.MEDIA_URL ?? `file:${join(data, 'media')}`,
    busPassword: config.KAFKA_PASSWORD,
    documentsPassword: config.DATABASE_PASSWORD,
  };
}

/** Whether any port keeps its state in files that one process alone may use. */
export const isEmbedded = (urls: PortUrls): boolean => urls.bus.startsWith('sqlite:') || urls.documents.startsWith('sqlite:');

export const openBus = (urls: PortUrls, dependencies: PortDependencies): Promise<EventBus> =>
  openEventBus(urls.bus, { ...dependencies, kafkaPassword: urls.busPassword });

export const openMedia = (urls: PortUrls): Promise<MediaStore> => openMediaStore(urls.media);

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
