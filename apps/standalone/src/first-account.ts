import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gateway } from '@parlance/contracts';
import { replaceFile, type Logger } from '@parlance/platform';
import type { RunningProcess } from '@parlance/runtime/process';

export interface FirstKey {
  apiKey: string;
  /** True when it was made just now and should be shown. */
  isNew: boolean;
  /** The account that was there before, whose key was not found any more. */
  accountId?: string;
}

/**
 * The key this machine's user works with: the one configured, the one in `$PARLANCE_DATA/api-key`,
 * or a new one of the first account, which is made when there is none yet. The file is readable by its owner alone.
 */
export async function firstKey(running: RunningProcess, dataFolder: string, { bootstrapKey, log }: { bootstrapKey: string | undefined; log: Logger }): Promise<FirstKey> {
  const file = join(dataFolder, 'api-key');
  const kept = await readKey(file);
  if (bootstrapKey !== undefined) {
    if (kept !== bootstrapKey) await replaceFile(file, `${bootstrapKey}\n`);
    return { apiKey: bootstrapKey, isNew: false };
  }
  if (kept !== undefined) return { apiKey: kept, isNew: false };
  const accounts = running.connect('gateway', gateway.AccountServiceDefinition);
  const { apiKey, accountId, accountExisted } = await accounts.createFirstKey({});
  await replaceFile(file, `${apiKey}\n`);
  if (!accountExisted) return { apiKey, isNew: true };
  log.warn({ account_id: accountId, file }, 'API key file was missing; created a new key of the same account');
  return { apiKey, isNew: true, accountId };
}

async function readKey(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')).trim() || undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
