import { Decrypter, Encrypter, identityToRecipient } from 'age-encryption';
import { ConfigError } from '@parlance/platform';
import { badBackup } from './backup-faults.js';

/** Keys of age (https://age-encryption.org/v1), as age-keygen writes them. A recipient alone can make backups, and not read them. */
export interface BackupKeys {
  recipients: string[];
  identities: string[];
}

const HEADER = 'age-encryption.org/v1';

/**
 * @param text a key on each line; comments begin with #
 * @param source the setting or file that the text is from, named in the error
 * @throws ConfigError
 */
export async function parseBackupKeys(text: string, source = 'BACKUP_KEY'): Promise<BackupKeys> {
  const lines = text.split('\n').map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
  const identities = lines.filter((line) => line.startsWith('AGE-SECRET-KEY-'));
  const recipients = lines.filter((line) => line.startsWith('age1'));
  if (lines.length === 0 || identities.length + recipients.length < lines.length) throw notAKey(source);
  try {
    const own = await Promise.all(identities.map((identity) => identityToRecipient(identity)));
    for (const recipient of recipients) new Encrypter().addRecipient(recipient);
    return { identities, recipients: [...new Set([...recipients, ...own])] };
  } catch {
    throw notAKey(source);
  }
}

const notAKey = (source: string) => new ConfigError([`${source}: must be age keys: AGE-SECRET-KEY-1… as "age-keygen" prints it, or age1…, its public key, which suffices to make backups`]);

export const isEncrypted = (start: Uint8Array): boolean => Buffer.from(start.subarray(0, HEADER.length)).toString() === HEADER;

export async function encrypted(bytes: AsyncIterable<Uint8Array>, { recipients }: BackupKeys): Promise<AsyncIterable<Uint8Array>> {
  const encrypter = new Encrypter();
  for (const recipient of recipients) encrypter.addRecipient(recipient);
  return encrypter.encrypt(ReadableStream.from(bytes));
}

/** Each segment is authenticated before it is given, and the end as well. @throws AppError backup_damaged */
export async function* decrypted(bytes: AsyncIterable<Uint8Array>, { identities }: BackupKeys): AsyncGenerator<Uint8Array> {
  if (identities.length === 0) throw badBackup('it is encrypted, and no AGE-SECRET-KEY is given (BACKUP_KEY or --key-file)');
  const decrypter = new Decrypter();
  for (const identity of identities) decrypter.addIdentity(identity);
  try {
    yield* await decrypter.decrypt(ReadableStream.from(bytes));
  } catch (error) {
    throw badBackup(`it cannot be decrypted: ${(error as Error).message}`, error);
  }
}
