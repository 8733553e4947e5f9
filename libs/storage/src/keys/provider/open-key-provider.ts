import { resolve } from 'node:path';
import { ConfigError } from '@parlance/platform';
import type { KeyProvider } from './key-provider.js';
import { LocalKeyProvider } from './local/local-key-provider.js';
import { createMasterKeys, readMasterKeys } from './local/master-key-file.js';
import { ServiceKeyProvider } from './service/service-key-provider.js';
import type { ServiceKey } from './service/service-key.js';

interface KeyProviderOptions {
  /** Makes a master key file that does not exist yet. Default: a missing one stops the start. Keys of services are made by the operator. */
  create?: boolean;
}

/** Key-management services by scheme. Their clients are loaded when they are chosen: others do not pay for them. */
const SERVICES: Readonly<Record<string, (rest: string) => Promise<ServiceKey>>> = {
  'aws-kms:': async (rest) => (await import('./aws/aws-key.js')).openAwsKey(rest),
  'gcp-kms:': async (rest) => (await import('./google/google-key.js')).openGoogleKey(rest),
  'azure-kv:': async (rest) => (await import('./azure/azure-key.js')).openAzureKey(rest),
  'vault-transit:': async (rest) => (await import('./vault/vault-key.js')).openVaultKey(rest, process.env),
};

/**
 * The provider that the setting KEY_PROVIDER names: `local:<file>`, or the key of a service. Services are not called.
 *
 * @throws ConfigError when no adapter takes the setting, or the key file is missing or another file
 */
export async function openKeyProvider(setting: string, options: KeyProviderOptions = {}): Promise<KeyProvider> {
  const scheme = setting.slice(0, setting.indexOf(':') + 1);
  const rest = setting.slice(scheme.length);
  if (scheme === 'local:' && rest !== '') return openLocal(resolve(rest), options);
  const openService = SERVICES[scheme];
  if (openService) return new ServiceKeyProvider(await openService(rest));
  throw new ConfigError([`KEY_PROVIDER: no provider for ${scheme || 'a setting without a scheme'}; it must be local:<file>, or begin with ${Object.keys(SERVICES).join(', ')}`]);
}

async function openLocal(path: string, { create = false }: KeyProviderOptions): Promise<KeyProvider> {
  const kept = await readMasterKeys(path);
  if (kept) return new LocalKeyProvider(path, kept);
  if (!create) throw new ConfigError([`KEY_PROVIDER: the key file ${path} is missing. Put it back from your copy; for a new installation make one with: (umask 077; echo "1 $(openssl rand -base64 32)" > ${path})`]);
  await createMasterKeys(path);
  const made = await readMasterKeys(path);
  if (!made) throw new ConfigError([`KEY_PROVIDER: the key file ${path} was removed while it was made.`]);
  return new LocalKeyProvider(path, made);
}
