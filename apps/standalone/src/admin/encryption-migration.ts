import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { rewriteDatabase } from '@parlance/platform/sqlite';
import type { PortUrls } from '@parlance/runtime/open-ports';
import { openSealedMediaStore, type DocumentKeys, type SealingCounts } from '@parlance/storage';
import { withDeclaredCollections } from './declared-collections.js';

/** The documents that a migration sealed, or that it would seal without `dryRun`. */
export interface MigratedDocuments extends SealingCounts {
  service: string;
  collection: string;
}

export interface MigratedMedia extends SealingCounts {
  /** Bytes of the sealed objects. */
  bytes: number;
}

interface MigrationParts {
  env: Record<string, string | undefined>;
  urls: PortUrls;
  keys: DocumentKeys;
  dryRun: boolean;
}

/** Seals what was stored before encryption was switched on. No service may run meanwhile. Each step can be killed, and repeated. */
export class EncryptionMigration {
  constructor(private readonly parts: MigrationParts) {}

  /** All collections with sealed fields, and then, where the databases are files, the files: what they had in clear is in their free pages. */
  async documents(onDone: (result: MigratedDocuments) => void, onRewrite: (path: string) => void): Promise<void> {
    const { env, urls, keys, dryRun } = this.parts;
    const services: string[] = [];
    await withDeclaredCollections(
      env,
      urls,
      async (service, database) => {
        services.push(service);
        for await (const counts of database.sealStored({ dryRun })) onDone({ service, ...counts });
      },
      keys,
    );
    if (dryRun || !urls.documents.startsWith('sqlite:')) return;
    // Also when nothing was sealed: a run before may have been killed here.
    for (const service of services) {
      const path = join(urls.documents.slice('sqlite:'.length), `${service}.db`);
      if (!existsSync(path)) continue;
      onRewrite(path);
      rewriteDatabase(path);
    }
  }

  async media(onProgress: (sofar: MigratedMedia) => void): Promise<MigratedMedia> {
    const { urls, keys, dryRun } = this.parts;
    const migrated: MigratedMedia = { sealed: 0, skipped: 0, bytes: 0 };
    const store = await openSealedMediaStore(urls.media, keys);
    for await (const { sizeBytes, isSealed } of store.sealStored({ dryRun })) {
      if (isSealed) {
        migrated.sealed += 1;
        migrated.bytes += sizeBytes;
      } else migrated.skipped += 1;
      onProgress(migrated);
    }
    return migrated;
  }
}
