import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { keyProviderSetting } from '@parlance/runtime/process-config';

/** The key file of the one-process shape. It is in no backup. */
const masterKeysIn = (dataFolder: string): string => join(resolve(dataFolder), 'master-keys');

/** An empty variable is as one that is not set. */
const isSet = (value: string | undefined): boolean => value !== undefined && value !== '';

/** The key file, unless the operator names a provider. */
export const keyProviderOf = (env: NodeJS.ProcessEnv, dataFolder: string): { KEY_PROVIDER?: string } =>
  isSet(env.KEY_PROVIDER) || isSet(env.KEY_PROVIDER_FILE) ? {} : { KEY_PROVIDER: `local:${masterKeysIn(dataFolder)}` };

/** The provider of an installation that is there: as set, else the key file that its start has made. */
export function installedKeyProvider({ KEY_PROVIDER, PARLANCE_DATA }: { KEY_PROVIDER?: string | undefined; PARLANCE_DATA: string }): string | undefined {
  if (KEY_PROVIDER !== undefined) return keyProviderSetting({ KEY_PROVIDER });
  const path = masterKeysIn(PARLANCE_DATA);
  return existsSync(path) ? `local:${path}` : undefined;
}
