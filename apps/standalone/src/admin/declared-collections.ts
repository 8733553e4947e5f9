import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEventBus } from '@parlance/event-bus';
import { createMetrics, readConfig, silentLogger, systemClock, ulidGenerator, type ConfigShape } from '@parlance/platform';
import { grpcTarget, openDocuments, openSearch, processConfig, type AnyServiceManifest, type PortUrls, type ServiceContext } from '@parlance/runtime';
import { openMediaStore, type DocumentDatabase } from '@parlance/storage';
import { credentials } from '@grpc/grpc-js';
import { manifests } from '../manifests.js';

type Work = (service: string, database: DocumentDatabase) => Promise<void>;
type Shared = Pick<ServiceContext, 'config' | 'bus' | 'media' | 'scratchFolder' | 'modelsFolder'>;

/**
 * Gives each service's database with its collections declared, one after the other. They are declared where a service's
 * module is made, so the modules are made, and not started: on a bus and a media store of their own in a folder that goes.
 */
export async function withDeclaredCollections(env: ServiceEnvironment, urls: PortUrls, work: Work): Promise<void> {
  const scratchFolder = mkdtempSync(join(tmpdir(), 'parlance-admin-'));
  const bus = await openEventBus(`sqlite:${join(scratchFolder, 'events.db')}`, { clock: systemClock, log: silentLogger() });
  try {
    const media = await openMediaStore(`file:${join(scratchFolder, 'media')}`);
    for (const manifest of manifests) await declared(manifest, urls, { config: configOf(manifest, env), bus, media, scratchFolder, modelsFolder: scratchFolder }, work);
  } finally {
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
  const documents = await openDocuments(urls, manifest.name, dependencies);
  const context: ServiceContext = {
    ...shared,
    ...dependencies,
    name: manifest.name,
    documents,
    metrics: createMetrics(),
    openSearch: (dimensions) => openSearch(urls, dimensions, dependencies),
    health: async () => ({ status: 'ok', checks: {} }),
    connect: (service, client) => new client(grpcTarget(service, shared.config, shared.scratchFolder), credentials.createInsecure()),
  };
  try {
    manifest.module(context);
    await work(manifest.name, documents);
  } finally {
    await documents.close();
  }
}
