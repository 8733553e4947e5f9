import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEventBus } from '@parlance/event-bus';
import { createMetrics, readConfig, silentLogger, systemClock, ulidGenerator, type ConfigShape } from '@parlance/platform';
import type { AnyServiceManifest, ServiceContext, ServiceName } from '@parlance/runtime';
import { LocalService, makeApplication, openDocuments, openSearch, processConfig, type PortUrls } from '@parlance/runtime/process';
import { openMediaStore, type DocumentKeys, type SealedDocumentDatabase } from '@parlance/storage';
import { openTaskQueue } from '@parlance/task-queue';
import { manifests } from '../manifests.js';

type Work = (service: ServiceName, database: SealedDocumentDatabase) => Promise<void>;
type Shared = Pick<ServiceContext, 'config' | 'bus' | 'tasks' | 'media' | 'scratchFolder' | 'modelsFolder'> & { keys: DocumentKeys | undefined };

/**
 * Gives each service's database with its collections declared, one after the other. Providers of a service declare them, so the
 * applications are made and not started, on a bus, a task queue and a media store in a temporary folder.
 *
 * @param keys of sealed fields, for work that reads or writes them
 */
export async function withDeclaredCollections(env: ServiceEnvironment, urls: PortUrls, work: Work, keys?: DocumentKeys): Promise<void> {
  const scratchFolder = mkdtempSync(join(tmpdir(), 'parlance-admin-'));
  const bus = await openEventBus(`sqlite:${join(scratchFolder, 'events.db')}`, { clock: systemClock, log: silentLogger() });
  const tasks = await openTaskQueue(`sqlite:${join(scratchFolder, 'tasks.db')}`, { clock: systemClock, log: silentLogger() });
  try {
    const media = await openMediaStore(`file:${join(scratchFolder, 'media')}`);
    for (const manifest of manifests) await declared(manifest, urls, { config: configOf(manifest, env), bus, tasks, media, keys, scratchFolder, modelsFolder: scratchFolder }, work);
  } finally {
    await tasks.close();
    await bus.close();
    rmSync(scratchFolder, { recursive: true, force: true });
  }
}

type ServiceEnvironment = Record<string, string | undefined>;

/** The settings of this service alone: those of others may be missing here. */
function configOf(manifest: AnyServiceManifest, env: ServiceEnvironment): ServiceContext['config'] {
  const shape: ConfigShape = { ...processConfig, ...(manifest.config as ConfigShape) };
  return readConfig(shape, { env, readFile: (path) => readFileSync(path, 'utf8') });
}

async function declared(manifest: AnyServiceManifest, urls: PortUrls, shared: Shared, work: Work): Promise<void> {
  const dependencies = { clock: systemClock, ids: ulidGenerator(), log: silentLogger() };
  const documents = await openDocuments(urls, manifest.name, dependencies, shared.keys);
  const context: ServiceContext = {
    ...shared,
    ...dependencies,
    name: manifest.name,
    documents,
    metrics: createMetrics(),
    afterUncleanStop: false,
    openSearch: (dimensions) => openSearch(urls, dimensions, dependencies),
    health: async () => ({ status: 'ok', checks: {} }),
    dependencies: async () => ({ status: 'ok', checks: {} }),
    hasHealthServer: false,
    connect: (_service, definition) => new LocalService().port(definition),
  };
  try {
    const app = await makeApplication(manifest, context, false);
    try {
      await work(manifest.name, documents);
    } finally {
      await app.close();
    }
  } finally {
    await documents.close();
  }
}
