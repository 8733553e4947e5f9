import { ConfigError } from '@parlance/platform';

/** The part of KEY_PROVIDER after its scheme: where the key is, and options. */
interface KeySetting {
  key: string;
  options: ReadonlyMap<string, string>;
}

/** Splits `<key>?<option>=<value>&…`. @throws ConfigError when there is an option that the scheme does not have */
export function keySetting(scheme: string, rest: string, allowed: readonly string[]): KeySetting {
  const [key = '', query = ''] = rest.split(/\?(.*)/s);
  const options = new Map(new URLSearchParams(query));
  const problems = [...options.keys()].filter((name) => !allowed.includes(name)).map((name) => `KEY_PROVIDER: ${scheme}: has no option ${name}; it has ${allowed.join(', ') || 'none'}`);
  if (problems.length > 0) throw new ConfigError(problems);
  return { key, options };
}

/** @throws ConfigError when the option is there and no URL */
export function urlOption(options: ReadonlyMap<string, string>, name: string): string | undefined {
  const value = options.get(name);
  if (value !== undefined && !isHttpUrl(value)) throw new ConfigError([`KEY_PROVIDER: ${name} must be http://… or https://…`]);
  return value?.replace(/\/$/, '');
}

export const isHttpUrl = (text: string): boolean => /^https?:$/.test(URL.parse(text)?.protocol ?? '');
