import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLogger, readConfig, systemClock, ulidGenerator } from '@parlance/platform';
import { openKeyRotation } from '@parlance/runtime/open-keys';
import { portUrls } from '@parlance/runtime/open-ports';
import { processConfig } from '@parlance/runtime/process-config';
import type { KeyRotation, RotationStatus } from '@parlance/storage';
import { Command } from 'commander';
import { installedKeyProvider } from '../master-keys.js';
import { AdminFailure, EXIT_FAILED } from './admin-failure.js';
import { json, type AdminTools } from './admin-tools.js';
import { encryptionMigrateCommand } from './encryption-migrate-command.js';
import { encryptionMoveCommand } from './encryption-move-command.js';
import { answeringSoon } from './indexes-command.js';
import { mediaKeysCommand, rotateMediaKeyCommand } from './media-keys-command.js';
import { jsonOption } from './options.js';

interface JsonOptions {
  json?: true;
}

const { PARLANCE_DATA, DATABASE_URL, DATABASE_PASSWORD, KEY_PROVIDER } = processConfig;

/** Rotates the keys of encryption at rest while the servers run; while they are stopped, encrypts what was stored before, and moves to another provider. */
export function encryptionCommand(tools: AdminTools): Command {
  const { env, print, say } = tools;
  const encryption = new Command('encryption').description('manage the keys that encrypt stored data (KEY_PROVIDER)');
  encryption
    .command('status')
    .description('count the wrapped keys, and show how far a rotation is')
    .addOption(jsonOption())
    .action((options: JsonOptions) => withRotation(env, async (rotation) => print(options.json ? json(statusJson(await rotation.status())) : statusText(await rotation.status()))));
  encryption
    .command('rotate')
    .description('replace the master key and the keys of all accounts, or continue a rotation that is unfinished')
    .option('--keep-master-key', 'make no new version of the master key; the newest one is used, as after a rotation at the key service')
    .addOption(jsonOption())
    .action(({ keepMasterKey, json: asJson }: JsonOptions & { keepMasterKey?: true }) =>
      withRotation(env, async (rotation) => {
        const { accountKeys, dataKeys, isComplete } = await rotation.run({ keepMasterKey });
        const { finishableAt, masterKey } = await rotation.status();
        if (asJson) print(json({ account_keys: accountKeys, data_keys: dataKeys, complete: isComplete, finishable_at: finishableAt }));
        else print(`${accountKeys} keys wrapped by the master key and ${dataKeys} data keys were rewrapped`);
        if (isComplete) say(`The rotation is complete: no previous key of an account is kept. ${masterKey.startsWith('local:') ? 'Copy the key file and the wrapped keys anew' : 'Keep the older versions at the key service, and copy the wrapped keys anew'} (backup create).`);
        else say(`Previous keys of accounts are kept until running processes have dropped them: run the command again after ${finishableAt} to remove them.`);
      }),
    );
  return encryption
    .addCommand(encryptionMigrateCommand(tools))
    .addCommand(encryptionMoveCommand(tools))
    .addCommand(mediaKeysCommand(tools))
    .addCommand(rotateMediaKeyCommand(tools));
}

async function withRotation(env: AdminTools['env'], work: (rotation: KeyRotation) => Promise<void>): Promise<void> {
  const config = readConfig({ PARLANCE_DATA, DATABASE_URL, DATABASE_PASSWORD, KEY_PROVIDER }, { env, readFile: (path) => readFileSync(path, 'utf8') });
  const urls = portUrls(config);
  const isOnDisk = urls.documents.startsWith('sqlite:');
  if (isOnDisk && !existsSync(join(urls.documents.slice('sqlite:'.length), 'keys.db'))) {
    throw new AdminFailure(`There are no keys at ${urls.documents}; is PARLANCE_DATA or DATABASE_URL right?`, EXIT_FAILED);
  }
  const setting = installedKeyProvider(config);
  if (setting === undefined) throw new AdminFailure('KEY_PROVIDER is none, or not set while PARLANCE_DATA has no file master-keys. Set it to the value that the services have; without one they store in clear.', EXIT_FAILED);
  const dependencies = { clock: systemClock, ids: ulidGenerator(), log: createLogger({ level: 'error', destination: process.stderr }) };
  const { rotation, close } = await openKeyRotation({ ...urls, documents: isOnDisk ? urls.documents : answeringSoon(urls.documents) }, setting, dependencies);
  try {
    await work(rotation);
  } finally {
    await close();
  }
}

const statusJson = (status: RotationStatus) => ({
  master_key: status.masterKey,
  account_keys: status.accountKeys,
  data_keys: status.dataKeys,
  on_old_master_key: status.onOldMasterKey,
  with_previous_key: status.withPreviousKey,
  rotation: status.startedAt === undefined ? null : { started_at: status.startedAt, finishable_at: status.finishableAt ?? null },
});

function statusText(status: RotationStatus): string {
  const { startedAt, finishableAt } = status;
  const counts = `master key: ${status.masterKey}\n${status.accountKeys} keys of accounts, ${status.onOldMasterKey} wrapped by an old master key, ${status.withPreviousKey} with a previous key; ${status.dataKeys} data keys`;
  if (startedAt === undefined) return `${counts}\nno rotation is running`;
  return `${counts}\na rotation began at ${startedAt}; ${finishableAt === undefined ? 'run "encryption rotate" to continue it' : `run "encryption rotate" after ${finishableAt} to complete it`}`;
}
