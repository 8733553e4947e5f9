import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newSecretsKey, replaceFile } from '@parlance/platform';

/** The key that seals callers' secrets: the operator's, else one that is made at the first start and kept in the data folder. */
export async function secretsKeyOf(env: NodeJS.ProcessEnv, dataFolder: string): Promise<{ SECRETS_KEY?: string }> {
  if (env.SECRETS_KEY !== undefined || env.SECRETS_KEY_FILE !== undefined) return {};
  const path = join(dataFolder, 'secrets-key');
  const kept = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? undefined : Promise.reject(error)));
  if (kept !== undefined) return { SECRETS_KEY: kept.trim() };
  const made = newSecretsKey();
  await replaceFile(path, `${made}\n`);
  return { SECRETS_KEY: made };
}
