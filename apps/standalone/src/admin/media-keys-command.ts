import { readFileSync } from 'node:fs';
import type { MediaKeyRing } from '@parlance/ingest/operators';
import { readConfig, systemClock } from '@parlance/platform';
import { Command } from 'commander';
import { AdminFailure, EXIT_FAILED } from './admin-failure.js';
import { json, type AdminTools } from './admin-tools.js';
import { jsonOption, timeoutOption, type ServerOptions } from './options.js';
import { table } from './table.js';

/** Lists the keys that clients encrypt recordings to. */
export function mediaKeysCommand(tools: AdminTools): Command {
  return new Command('media-keys')
    .description('list the public keys that clients encrypt recordings to, the newest first')
    .addOption(timeoutOption())
    .addOption(jsonOption())
    .action((options: ServerOptions) =>
      onRing(tools, options, async (ring) => {
        const keys = (await ring.all()).map(({ id, recipient, createdAt }) => ({ id, recipient, created_at: createdAt }));
        tools.print(options.json ? json(keys) : table(['ID', 'CREATED', 'RECIPIENT'], keys.map(({ id, recipient, created_at }) => [id, created_at, recipient])));
      }),
    );
}

/** Makes a new one, while the servers run. */
export function rotateMediaKeyCommand(tools: AdminTools): Command {
  return new Command('rotate-media-key')
    .description('make a new key that clients encrypt recordings to; those before it are accepted for MEDIA_KEY_ACCEPTED_HOURS')
    .option('--destroy-previous', 'destroy the private keys before it at once, as after a theft: jobs whose recording is not decoded yet fail')
    .addOption(timeoutOption())
    .addOption(jsonOption())
    .action((options: ServerOptions & { destroyPrevious?: true }) =>
      onRing(tools, options, async (ring) => {
        const previous = await ring.all();
        const { id, recipient } = await ring.rotate();
        const destroyed = options.destroyPrevious ? previous : [];
        for (const pair of destroyed) await ring.destroy(pair);
        if (options.json) tools.print(json({ id, recipient, destroyed: destroyed.map((pair) => pair.id) }));
        else tools.print(`${id} is the media key now: ${recipient}${destroyed.length > 0 ? `\ndestroyed: ${destroyed.map((pair) => pair.id).join(', ')}` : ''}`);
      }),
    );
}

async function onRing({ env, say, withDocuments }: AdminTools, { timeout }: ServerOptions, work: (ring: MediaKeyRing) => Promise<void>): Promise<void> {
  // Only these commands wait for it to load.
  const { ingestConfig, MediaKeyRing: Ring } = await import('@parlance/ingest/operators');
  await withDocuments('ingest', { timeout, onWait: (reason) => say(`Waiting for MongoDB: ${reason}`) }, async (documents, keys) => {
    if (!keys) throw new AdminFailure('KEY_PROVIDER is not set: this installation has no media keys.', EXIT_FAILED);
    const { MEDIA_KEY_SECRET } = readConfig({ MEDIA_KEY_SECRET: ingestConfig.MEDIA_KEY_SECRET }, { env, readFile: (path) => readFileSync(path, 'utf8') });
    await work(new Ring({ documents, keys, clock: systemClock, settings: { MEDIA_KEY_DAYS: 0, MEDIA_KEY_ACCEPTED_HOURS: 0, MEDIA_KEY_SECRET } }));
  });
}
