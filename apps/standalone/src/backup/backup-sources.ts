import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ConfigError } from '@parlance/platform';
import { modelsFolder, portUrls, type PortUrls } from '@parlance/runtime/open-ports';
import { SERVICE_NAMES } from '@parlance/runtime/service-manifest';
import { API_KEY } from './backup-format.js';

/** The paths of everything in the embedded shape that a backup copies. */
export interface BackupSources {
  dataFolder: string;
  /** Names in the backup, by path. The slowest writers first: their locks are waited for before anything else is held. */
  databases: Map<string, string>;
  mediaFolder: string;
  apiKeyFile: string;
  models: string[];
}

type Config = Parameters<typeof portUrls>[0] & { MODELS_FOLDER?: string | undefined };

/** @throws ConfigError when the settings name servers, or nothing is there */
export function backupSources(config: Config): BackupSources {
  const urls = portUrls(config);
  const { bus, tasks, documents, media } = urls;
  const served = Object.entries({ EVENT_BUS_URL: bus, TASK_QUEUE_URL: tasks, DATABASE_URL: documents, MEDIA_URL: media }).filter(([, url]) => !/^(sqlite|file):/.test(url));
  if (served.length > 0) throw new ConfigError(served.map(([name]) => `${name}: names a server, which parlance-admin cannot back up; see docs/backup.md`));
  const dataFolder = resolve(config.PARLANCE_DATA);
  const databases = new Map(databasePaths(urls).filter(([path]) => existsSync(path)));
  if (databases.size === 0) throw new ConfigError([`PARLANCE_DATA: there are no databases in ${dataFolder}`]);
  return { dataFolder, databases, mediaFolder: pathOf(media), apiKeyFile: join(dataFolder, API_KEY), models: foldersIn(modelsFolder(config)) };
}

function databasePaths({ bus, tasks, documents, search }: PortUrls): [string, string][] {
  const services = SERVICE_NAMES.map((service): [string, string] => [join(pathOf(documents), `${service}.db`), `documents/${service}.db`]);
  const index: [string, string][] = search.startsWith('sqlite:') ? [[pathOf(search), 'search.db']] : [];
  return [...index, [pathOf(bus), 'events.db'], [pathOf(tasks), 'tasks.db'], ...services];
}

const pathOf = (url: string): string => resolve(url.slice(url.indexOf(':') + 1));

/** The media folder of the embedded shape. */
export function mediaFolderOf(dataFolder: string, mediaUrl: string | undefined): string {
  const isFolder = mediaUrl?.startsWith('file:') ?? false;
  return pathOf(portUrls({ PARLANCE_DATA: dataFolder, MEDIA_URL: isFolder ? mediaUrl : undefined }).media);
}

const foldersIn = (path: string): string[] => (existsSync(path) ? readdirSync(path, { withFileTypes: true }) : []).filter((entry) => entry.isDirectory()).map(({ name }) => name);

/**
 * Another user, such as root, would leave folders beside the media that the product cannot enter, and every removal would fail.
 * The databases are looked at, not the folder: a mounted volume may belong to root.
 * @param user effective one; undefined where the system has none
 * @throws ConfigError
 */
export function requireOwner({ dataFolder, databases }: Pick<BackupSources, 'dataFolder' | 'databases'>, user = process.geteuid?.()): void {
  if (user === undefined) return;
  for (const path of databases.keys()) {
    const { uid } = statSync(path);
    if (uid !== user) throw new ConfigError([`PARLANCE_DATA: the data in ${dataFolder} belongs to user ${uid}, and this is user ${user}; run the backup as that user (sudo -u '#${uid}')`]);
  }
}
