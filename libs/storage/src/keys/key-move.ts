import type { DocumentDatabase, Stored } from '../documents/document-collection.js';
import { KEYS, type StoredKey } from './key-records.js';
import { MASTER_KEY_CHECK } from './master-key-check.js';
import type { KeyProvider } from './provider/key-provider.js';
import { contextOf } from './wrapped-data-keys.js';

interface KeyMoveParts {
  /** The database of wrapped keys. */
  documents: DocumentDatabase;
  /** The provider that has wrapped the keys so far. */
  from: KeyProvider;
  to: KeyProvider;
}

/**
 * Wraps the keys of all accounts by another provider; data keys, documents and media are not touched. No service may run meanwhile,
 * since each has one provider. Killed, it is repeated: each key is changed in one write, and the check of the master key last, so that a
 * start with the new provider ends before all keys are moved. `from` is asked first: some services know no key but their own.
 *
 * @returns the number of keys that were moved
 * @throws AppError keys_unavailable when a provider is away, or neither unwraps a key
 */
export async function moveKeys({ documents, from, to }: KeyMoveParts): Promise<number> {
  const keys = documents.collection(KEYS);
  let moved = 0;
  const move = async ({ document, version }: Stored<StoredKey>): Promise<void> => {
    const { id, wrapped, previous } = document;
    const context = id === MASTER_KEY_CHECK ? id : contextOf(id);
    const rewrap = async (key: string): Promise<string> => {
      const clear = await from.unwrap(key, context).catch(async (error: unknown) => {
        if (!(await opens(to, key, context))) throw error;
        return undefined;
      });
      // A run before has moved it.
      return clear ? to.wrap(clear, context) : key;
    };
    const next = { ...document, wrapped: await rewrap(wrapped), ...(previous !== undefined && { previous: await rewrap(previous) }) };
    if (next.wrapped === wrapped && next.previous === previous) return;
    await keys.replace(next, version);
    moved += 1;
  };
  for await (const stored of keys.all({ direction: 'ascending' })) if (!stored.document.id.includes('/') && stored.document.id !== MASTER_KEY_CHECK) await move(stored);
  const check = await keys.get(MASTER_KEY_CHECK);
  if (check) await move(check);
  return moved;
}

const opens = (provider: KeyProvider, wrapped: string, context: string): Promise<boolean> => provider.unwrap(wrapped, context).then(() => true, () => false);
