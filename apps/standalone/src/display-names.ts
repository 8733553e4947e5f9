import { basename } from 'node:path';
import { isAddress } from './recording-source.js';

/** The name of each recording in the output: its file's name, or the whole argument where two files have the same name. */
export function displayNames(sources: readonly string[]): string[] {
  const given = sources.map((source) => (isAddress(source) ? withoutSecrets(source) : source));
  const short = given.map((source) => (isAddress(source) ? source : basename(source) || source));
  const names = short.map((name, index) => (isUnique(short, name) ? name : (given[index] ?? name)));
  // The same one twice.
  return names.map((name, index) => (isUnique(names, name) ? name : `${name} (${names.slice(0, index + 1).filter((other) => other === name).length})`));
}

/** A query may hold a signature, and what is before the host a password. */
const withoutSecrets = (address: string): string => (address.split(/[?#]/, 1)[0] ?? '').replace(/\/\/[^/]*@/, '//');

const isUnique = (names: readonly string[], name: string): boolean => names.indexOf(name) === names.lastIndexOf(name);
