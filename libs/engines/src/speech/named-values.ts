import { ConfigError } from '@parlance/platform';

/** The name of a model: lower-case letters, digits, dots, hyphens and underscores. */
const ENTRY = /^([a-z0-9][a-z0-9._-]{0,63})=(\S+)$/;
const BEGINS_ENTRY = /^[a-z0-9._-]+=/;

/**
 * Reads `name=value,name=value`, separated by commas, spaces or lines.
 * @param setting its name, for the message
 * @throws ConfigError that does not repeat the text: it may hold a secret.
 */
export function namedValues(setting: string, text: string | undefined): Map<string, string> {
  const values = new Map<string, string>();
  for (const [index, entry] of entriesOf(text ?? '').entries()) {
    const [, name, value] = ENTRY.exec(entry) ?? [];
    if (name === undefined || value === undefined) throw new ConfigError([`${setting}: entry ${index + 1} is not name=value; a name has up to 64 of a-z, 0-9, '.', '_' and '-'`]);
    if (values.has(name)) throw new ConfigError([`${setting}: names '${name}' twice`]);
    values.set(name, value);
  }
  return values;
}

/** A value may contain commas itself, so that after a comma an entry begins only where a name and = follow. */
function entriesOf(text: string): string[] {
  const entries: string[] = [];
  for (const part of text.split(/\s/)) {
    const [first = '', ...others] = part.split(',');
    if (first !== '') entries.push(first);
    for (const piece of others) {
      const last = entries.pop();
      if (last === undefined || BEGINS_ENTRY.test(piece)) entries.push(...(last === undefined ? [] : [last]), piece);
      else entries.push(piece === '' ? last : `${last},${piece}`);
    }
  }
  return entries.filter((entry) => entry !== '');
}
