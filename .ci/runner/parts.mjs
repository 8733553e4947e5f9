import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A check that runs by itself: a program in .ci/parts. Its header says what it needs, one `# name: value` a line:
 *
 * - `gate`: its place in the gate; a part without one is checked by .ci/full alone
 * - `limit`: seconds, at least four times what it takes on a quiet machine
 * - `servers`: names of ../shared/servers that it needs, separated by spaces
 * - `downloads`: a shell command that fetches what it needs and does nothing when that is there already; several lines are several commands
 * - `fresh`: `yes` for a part that runs on a clone as it is, before anything is installed
 *
 * @typedef {{ name: string, file: string, title: string, gate: number | undefined, limit: number, servers: string[], downloads: string[], fresh: boolean }} Part
 */

/**
 * @param {string} folder
 * @returns {Part[]} those of the gate in its order, then the others, those with servers last so that the servers are started once
 * @throws Error when a header lacks a limit or has an unknown name
 */
export function readParts(folder) {
  const parts = readdirSync(folder).map((name) => readPart(name, join(folder, name)));
  return parts.toSorted((one, other) => rank(one) - rank(other) || one.name.localeCompare(other.name));
}

/** Places of the gate are below 1000. */
const rank = ({ gate, servers }) => gate ?? (servers.length === 0 ? 1000 : 1001);

const NAMES = new Set(['gate', 'limit', 'servers', 'downloads', 'fresh']);

function readPart(name, file) {
  const lines = readFileSync(file, 'utf8').split('\n').slice(1);
  const end = lines.findIndex((line) => !line.startsWith('#'));
  const header = lines.slice(0, end === -1 ? undefined : end).map((line) => line.slice(1).trim());
  const blank = header.indexOf('');
  if (blank === -1) throw new Error(`${file}: its header needs an empty comment line between what it checks and what it needs`);
  const needs = new Map();
  for (const line of header.slice(blank + 1)) {
    const [, key, value] = /^(\w+): (.+)$/.exec(line) ?? [];
    if (!NAMES.has(key)) throw new Error(`${file}: "${line}" in its header is none of ${[...NAMES].join(', ')}`);
    needs.set(key, [...(needs.get(key) ?? []), value]);
  }
  const limit = Number(needs.get('limit')?.[0]);
  if (!(limit > 0)) throw new Error(`${file}: its header has no limit in seconds`);
  const gate = needs.get('gate')?.[0];
  return {
    name,
    file,
    title: /^.+?\.(?= |$)/.exec(header.slice(0, blank).join(' '))?.[0] ?? '',
    gate: gate === undefined ? undefined : Number(gate),
    limit,
    servers: needs.get('servers')?.[0].split(' ') ?? [],
    downloads: needs.get('downloads') ?? [],
    fresh: needs.get('fresh')?.[0] === 'yes',
  };
}
