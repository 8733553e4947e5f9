import type { INestApplication } from '@nestjs/common';
import type { EventBus } from '@parlance/event-bus';
import { ConfigError, createMetrics, readConfig, silentLogger, systemClock, ulidGenerator, type ConfigShape } from '@parlance/platform';
import type { AnyServiceManifest, ServiceContext } from '@parlance/runtime';
import { LocalService, makeApplication, modelsFolder, openBus, openMedia, openSearch, openStoredDocuments, openTasks, portUrls, processConfig } from '@parlance/runtime/process';
import { DocumentKeyRecords, RecordDestroyer, type DocumentDatabase, type MediaStore } from '@parlance/storage';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { manifests } from '../manifests.js';

/**
 * A service whose parts are wired on the real ports and which does nothing by itself: no timer, no subscription, no server. It
 * has documents as they are stored, with sealed fields unopened: an erasure needs no key.
 */
export interface IdleService {
  manifest: AnyServiceManifest;
  app: INestApplication;
  documents: DocumentDatabase;
}

/** Does the work on all services while none of them runs. @throws ConfigError */
export async function withIdleServices(env: Record<string, string | undefined>, work: (services: readonly IdleService[], bus: EventBus, media: MediaStore) => Promise<void>): Promise<void> {
  await using closing = new AsyncDisposableStack();
  const scratchFolder = mkdtempSync(join(tmpdir(), 'parlance-idle-'));
  closing.defer(() => rmSync(scratchFolder, { recursive: true, force: true }));
  const dependencies = { clock: systemClock, ids: ulidGenerator(), log: silentLogger() };
  const urls = portUrls(configFor([], env));
  const bus = await openBus(urls, dependencies);
  closing.defer(() => bus.close());
  const tasks = await openTasks(urls, dependencies);
  closing.defer(() => tasks.close());
  const media = await openMedia(urls);
  const keyDocuments = await openStoredDocuments(urls, 'keys', dependencies);
  closing.defer(() => keyDocuments.close());
  const keys = new RecordDestroyer(new DocumentKeyRecords(keyDocuments, systemClock));
  const services: IdleService[] = [];
  for (const manifest of manifests) {
    const config = configFor([manifest], env);
    const problems = manifest.configProblems?.(config) ?? [];
    if (problems.length > 0) throw new ConfigError(problems);
    const documents = await openStoredDocuments(urls, manifest.name, dependencies);
    closing.defer(() => documents.close());
    const context: ServiceContext = {
      ...dependencies,
      name: manifest.name,
      config,
      bus,
      tasks,
      media,
      documents,
      keys,
      scratchFolder,
      afterUncleanStop: false,
      modelsFolder: modelsFolder(config),
      metrics: createMetrics(),
      openSearch: (dimensions) => openSearch(urls, dimensions, dependencies),
      health: async () => ({ status: 'ok', checks: {} }),
      dependencies: async () => ({ status: 'ok', checks: {} }),
      hasHealthServer: false,
      connect: (_service, definition) => new LocalService().port(definition),
    };
    const app = await makeApplication(manifest, context, false);
    closing.defer(() => app.close());
    services.push({ manifest, app, documents });
  }
  await work(services, bus, media);
}

function configFor(only: readonly AnyServiceManifest[], env: Record<string, string | undefined>): ServiceContext['config'] & Parameters<typeof portUrls>[0] {
  const shape: ConfigShape = Object.assign({}, processConfig, ...only.map(({ config }) => config as ConfigShape));
  return readConfig(shape as typeof processConfig, { env, readFile: (path) => readFileSync(path, 'utf8') }) as never;
}
