import { AppError, ConfigError } from '@parlance/platform';
import { newKey } from './aead.js';
import type { KeyRecords } from './key-records.js';
import { openKeyProvider } from './provider/open-key-provider.js';
import type { KeyProvider } from './provider/key-provider.js';
import { KeyServiceRefusal } from './provider/keys-unavailable.js';

/** The id of a key that is wrapped by the master key that the other keys are wrapped by, so that a start with another one is noticed. No account has the id. */
export const MASTER_KEY_CHECK = 'check';

interface VerifiedProviderOptions {
  setting: string;
  records: KeyRecords;
  /** Makes the master key at the first start. */
  create: boolean;
  /** Waits before another try of a first start whose key service is away. Default: such a start fails. */
  waitForService?: ((error: AppError) => Promise<void>) | undefined;
}

/**
 * Opens the provider and tests that its master key is the one that the stored keys were wrapped by. A master key is made only
 * where none of them is stored yet.
 *
 * @throws ConfigError when the master key is missing or another one, or the key service refuses it; nothing is changed then
 */
export async function openVerifiedProvider({ setting, records, create, waitForService }: VerifiedProviderOptions): Promise<KeyProvider> {
  const stored = (await records.find([MASTER_KEY_CHECK])).get(MASTER_KEY_CHECK);
  const provider = await openKeyProvider(setting, { create: create && stored === undefined });
  const check = stored ?? (await records.add({ id: MASTER_KEY_CHECK, keyId: MASTER_KEY_CHECK, wrapped: await wrappedCheck(provider, waitForService) }));
  if (check === 'destroyed') return provider;
  try {
    await provider.unwrap(check.wrapped, MASTER_KEY_CHECK);
  } catch (error) {
    // A key service that is away may have the right key.
    if (!(error instanceof AppError) || error.retryable) return provider;
    throw wrongMasterKey(provider, error);
  }
  return provider;
}

async function wrappedCheck(provider: KeyProvider, waitForService: VerifiedProviderOptions['waitForService']): Promise<string> {
  for (;;) {
    try {
      return await provider.wrap(newKey(), MASTER_KEY_CHECK);
    } catch (error) {
      if (error instanceof KeyServiceRefusal) throw wrongMasterKey(provider, error);
      if (!waitForService || !(error instanceof AppError) || !error.retryable) throw error;
      await waitForService(error);
    }
  }
}

function wrongMasterKey(provider: KeyProvider, error: AppError): ConfigError {
  if (error instanceof KeyServiceRefusal) return new ConfigError([`KEY_PROVIDER: ${provider.describe()}: ${error.message} Nothing was changed. Cause: ${causeOf(error)}`]);
  return new ConfigError([`KEY_PROVIDER: ${provider.describe()} does not have the master key of this data. ${error.message} Put the right key back, or set KEY_PROVIDER to where it is; nothing was changed.`]);
}

const causeOf = ({ cause }: AppError): string => (cause instanceof Error ? cause.message : 'unknown');
