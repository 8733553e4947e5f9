import { pause, retryDelay, type Logger } from '@parlance/platform';
import { DocumentKeyRecords, KeyRotation, openKeyProvider, openVerifiedProvider, WrappedDataKeys, type DocumentKeys, type KeyRecords } from '@parlance/storage';
import { openStoredDocuments, type PortDependencies, type PortUrls } from '../open-ports.js';

interface OpenedKeys {
  records: KeyRecords;
  keys: DocumentKeys;
  close(): Promise<void>;
}

interface OwnKeysOptions {
  /** Makes the master key at the first start. */
  create?: boolean;
  /** Waits at the first start until the key service answers. Later starts do not need it. */
  waitForService?: boolean;
  /** Milliseconds that clear keys stay in memory. */
  cacheMs?: number;
}

const BACK_OFF = { initialDelayMs: 500, maxDelayMs: 15_000 };

/**
 * Opens the database of wrapped keys itself, and the provider.
 *
 * @throws ConfigError when the master key is missing or another one, or the key service refuses it
 */
export async function openOwnKeys(urls: PortUrls, setting: string, dependencies: PortDependencies, { create = false, waitForService = false, cacheMs }: OwnKeysOptions = {}): Promise<OpenedKeys> {
  // Whatever the durability of the documents is: a power cut must not leave one whose key is lost.
  const documents = await openStoredDocuments(urls, 'keys', { ...dependencies, durability: 'power' });
  try {
    const records = new DocumentKeyRecords(documents, dependencies.clock);
    const provider = await openVerifiedProvider({ setting, records, create, waitForService: waitForService ? loggedWait(dependencies.log) : undefined });
    return { records, keys: new WrappedDataKeys({ records, provider, clock: dependencies.clock, cacheMs }), close: () => documents.close() };
  } catch (error) {
    await documents.close();
    throw error;
  }
}

function loggedWait(log: Logger): (error: unknown) => Promise<void> {
  let failures = 0;
  return async (error) => {
    failures += 1;
    const waitMs = retryDelay(failures, BACK_OFF, 1);
    log.warn({ err: error, failures, retry_in_ms: waitMs }, 'key service unavailable; the first start waits for it');
    await pause(waitMs);
  };
}

/** Opens the keys whose records another process has. */
export async function openServedKeys(records: KeyRecords, setting: string, { clock, cacheMs }: Pick<PortDependencies, 'clock'> & { cacheMs?: number }): Promise<DocumentKeys> {
  return new WrappedDataKeys({ records, provider: await openKeyProvider(setting), clock, cacheMs });
}

/** Opens the rotation of keys beside the running processes, whose provider finds the new version of the master key by itself. */
export async function openKeyRotation(urls: PortUrls, setting: string, dependencies: PortDependencies): Promise<{ rotation: KeyRotation; close(): Promise<void> }> {
  // A power cut takes the last writes, in order: the run is then repeated from an earlier state.
  const documents = await openStoredDocuments(urls, 'keys', { ...dependencies, durability: 'process' });
  try {
    const provider = await openVerifiedProvider({ setting, records: new DocumentKeyRecords(documents, dependencies.clock), create: false });
    return { rotation: new KeyRotation({ documents, provider, clock: dependencies.clock }), close: () => documents.close() };
  } catch (error) {
    await documents.close();
    throw error;
  }
}
