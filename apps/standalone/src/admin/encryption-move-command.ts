import { readFileSync } from 'node:fs';
import { createLogger, readConfig, systemClock, ulidGenerator } from '@parlance/platform';
import { openStoredDocuments, portUrls } from '@parlance/runtime/open-ports';
import { processConfig } from '@parlance/runtime/process-config';
import { moveKeys, openKeyProvider } from '@parlance/storage';
import { Command } from 'commander';
import { installedKeyProvider } from '../master-keys.js';
import { AdminFailure, EXIT_USAGE } from './admin-failure.js';
import { json, type AdminTools } from './admin-tools.js';
import { jsonOption } from './options.js';
import { servicesStoppedOption, whileStopped } from './stopped-services.js';

interface MoveOptions {
  from: string;
  servicesStopped?: true;
  json?: true;
}

const { PARLANCE_DATA, DATABASE_URL, DATABASE_PASSWORD, KEY_PROVIDER } = processConfig;

/** Changes the place of the master key. */
export function encryptionMoveCommand({ env, print, say }: AdminTools): Command {
  return new Command('move-keys')
    .description('wrap the keys of all accounts by KEY_PROVIDER that another provider has wrapped so far, while the services are stopped; run it again when it was interrupted')
    .requiredOption('--from <provider>', 'the KEY_PROVIDER until now, which must still answer')
    .addOption(servicesStoppedOption())
    .addOption(jsonOption())
    .action(async ({ from, servicesStopped, json: asJson }: MoveOptions) => {
      const config = readConfig({ PARLANCE_DATA, DATABASE_URL, DATABASE_PASSWORD, KEY_PROVIDER }, { env, readFile: (path) => readFileSync(path, 'utf8') });
      const setting = installedKeyProvider(config);
      if (setting === undefined) throw new AdminFailure('KEY_PROVIDER is not set: it must name the new provider.', EXIT_USAGE);
      const providers = { from: await openKeyProvider(from), to: await openKeyProvider(setting) };
      await using closing = new AsyncDisposableStack();
      const { urls, end } = whileStopped(portUrls(config), config.PARLANCE_DATA, servicesStopped === true);
      closing.defer(end);
      const dependencies = { clock: systemClock, ids: ulidGenerator(), log: createLogger({ level: 'error', destination: process.stderr }) };
      const documents = await openStoredDocuments(urls, 'keys', dependencies);
      closing.defer(() => documents.close());
      const moved = await moveKeys({ documents, ...providers });
      print(asJson ? json({ account_keys: moved }) : `${moved} keys are wrapped by ${providers.to.describe()} now`);
      say('Set KEY_PROVIDER in all services to the new provider before they start, and copy the wrapped keys anew (backup create). Older copies of the wrapped keys need the old provider.');
    });
}
