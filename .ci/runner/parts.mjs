import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A check that runs by itself: a program in .ci/parts. Its header says what it needs, one `# name: value` a line:
 *
 * - `gate`: its place in the gate; a part without one is checked by .ci/full alone
 * - `takes`: seconds on two quiet cores, measured by the table at the end of `.ci/full`; the part is ended at four times that
 * - `servers`: names of ../shared/servers that it needs, separated by spaces
 * - `downloads`: a shell command that fetches what it needs and does nothing when that is there already; several lines are several commands.
 *   Status 78 fails the part: the registry answers, but does not have what the command asks for
 * - `fresh`: `yes` for a part that runs on a new clone of what is committed, in which nothing is installed
 *
 * @typedef {{ name: string, file: string, title: string, gate: number | undefined, limit: number, servers: string[], downloads: string[], fresh: boolean }} Part
 */

/**
 * @param {string} folder
 * @returns {Part[]} those of the gate in its order, then the others, those with servers last so that the servers are started once
 * @throws Error when a name or a header is not as it must be, as when it lacks what the part takes or has an unknown name, or the part is not executable
 */
export function readParts(folder) {
  const names = readdirSync(folder);
  const strange = names.find((name) => !/^[a-z][a-z0-9-]*$/.test(name));
  if (strange !== undefined) throw new Error(`${join(folder, strange)}: a part is named by small letters, digits and hyphens`);
  const parts = names.map((name) => readPart(name, join(folder, name)));
  return parts.toSorted((one, other) => rank(one) - rank(other) || one.name.localeCompare(other.name));
}

/** Places of the gate are below 1000. */
const rank = ({ gate, servers }) => gate ?? (servers.length === 0 ? 1000 : 1001);

const NAMES = new Set(['gate', 'takes', 'servers', 'downloads', 'fresh']);

/** A part may take so many times what its header says. */
const MAX_TIMES = 4;
/** A part that takes little spends its time mostly on starts, which vary more. Tests of the runner shorten this limit. */
const MIN_LIMIT_SECONDS = Number(process.env.CI_MIN_LIMIT_SECONDS ?? 200);

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
  const takes = Number(needs.get('takes')?.[0]);
  if (!(takes > 0)) throw new Error(`${file}: its header does not say how many seconds it takes`);
  if ((statSync(file).mode & 0o100) === 0) throw new Error(`${file}: it is not executable`);
  const gate = needs.get('gate')?.[0];
  if (gate !== undefined && !(Number(gate) > 0)) throw new Error(`${file}: its place in the gate is no number`);
  return {
    name,
    file,
    title: /^.+?\.(?= |$)/.exec(header.slice(0, blank).join(' '))?.[0] ?? '',
    gate: gate === undefined ? undefined : Number(gate),
    limit: Math.max(MIN_LIMIT_SECONDS, MAX_TIMES * takes),
    servers: needs.get('servers')?.[0].split(' ') ?? [],
    downloads: needs.get('downloads') ?? [],
    fresh: needs.get('fresh')?.[0] === 'yes',
  };
}
