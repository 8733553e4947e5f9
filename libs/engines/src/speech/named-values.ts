import { ConfigError } from '@parlance/platform';

/** The name of a model: lower-case letters, digits, dots, hyphens and underscores. */
const NAME = '[a-z0-9][a-z0-9._-]{0,63}';
/** A value may contain commas itself, so that an entry begins only where a name and = follow. */
const BETWEEN_ENTRIES = new RegExp(`(?:\\s*,\\s*|\\s+)(?=${NAME}=)`);
const ENTRY = new RegExp(`^(${NAME})=(\\S+)$`);

/**
 * Reads `name=value,name=value`, separated by commas, spaces or lines.
 * @param setting its name, for the message
 * @throws ConfigError that does not repeat the text: it may hold a secret.
 */
export function namedValues(setting: string, text: string | undefined): Map<string, string> {
  const entries = (text ?? '').trim().split(BETWEEN_ENTRIES).filter((entry) => entry !== '');
  const values = new Map<string, string>();
  for (const [index, entry] of entries.entries()) {
    const [, name, value] = ENTRY.exec(entry.replace(/,$/, '')) ?? [];
    if (name === undefined || value === undefined) throw new ConfigError([`${setting}: entry ${index + 1} is not name=value; a name has up to 64 of a-z, 0-9, '.', '_' and '-'`]);
    if (values.has(name)) throw new ConfigError([`${setting}: names '${name}' twice`]);
    values.set(name, value);
  }
  return values;
}
