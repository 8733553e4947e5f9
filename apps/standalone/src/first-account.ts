import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gateway } from '@parlance/contracts';
import { callUnary } from '@parlance/platform';
import type { RunningProcess } from '@parlance/runtime';

export interface FirstKey {
  apiKey: string;
  /** Whether it was made just now and should be shown. */
  isNew: boolean;
}

/**
 * The key this machine's user works with: the one configured, the one in `$PARLANCE_DATA/api-key`,
 * or that of an account made now. The file is readable by its owner alone.
 */
export async function firstKey(running: RunningProcess, dataFolder: string, { bootstrapKey, plan }: { bootstrapKey: string | undefined; plan: string }): Promise<FirstKey> {
  const file = join(dataFolder, 'api-key');
  const kept = await readKey(file);
  if (bootstrapKey !== undefined) {
    if (kept !== bootstrapKey) await writeKey(file, bootstrapKey);
    return { apiKey: bootstrapKey, isNew: false };
  }
  if (kept !== undefined) return { apiKey: kept, isNew: false };
  const accounts = running.connect('gateway', gateway.AccountServiceClient);
  const { apiKey } = await callUnary(accounts, accounts.createAccount, { organization: 'first account', plan });
  await writeKey(file, apiKey);
  return { apiKey, isNew: true };
}

async function readKey(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')).trim() || undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function writeKey(file: string, key: string): Promise<void> {
  await writeFile(`${file}.new`, `${key}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}
