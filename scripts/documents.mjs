// Part of `npm run lint`: links and anchors of all Markdown pages lead somewhere, decisions that pages and sources name exist and
// have one form, each page of docs/ can be reached from another page, and READMEs are short.
// node scripts/documents.mjs [--folder FOLDER]
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readDecision } from './documents/decision-form.mjs';
import { anchorsOf, decisionNumbersIn, linksIn, proseLines } from './documents/page.mjs';

const { values } = parseArgs({ options: { folder: { type: 'string', default: fileURLToPath(new URL('..', import.meta.url)) } } });

const SOURCES = /\.(?:ts|mjs|cjs|js|proto|ya?ml|py|sh)$/u;
const NOT_CHECKED = /\/generated\/|^scripts\/documents|^samples\//u;
/** Lines that a README may have. */
const MAX_LINES = [[/^README\.md$/u, 100], [/^libs\/[^/]+\/README\.md$/u, 40]];
const DECISION = /^docs\/decisions\/(\d{4})-[\w-]+\.md$/u;

const INDEX = 'docs/decisions/README.md';

const read = (path) => readFileSync(join(values.folder, path), 'utf8');
const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: values.folder, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  .split('\n')
  .filter((path) => path !== '' && !NOT_CHECKED.test(path) && existsSync(join(values.folder, path)));
const pages = tracked.filter((path) => path.endsWith('.md'));
const decisions = new Map(tracked.flatMap((path) => (DECISION.test(path) ? [[Number(DECISION.exec(path)[1]), path]] : [])));
const linked = new Set();
const faults = [];
const fault = (path, line, text) => faults.push(`${path}${line === undefined ? '' : `:${line}`}: ${text}`);

for (const path of pages) {
  checkLength(path);
  const original = read(path).split('\n');
  for (const [index, prose] of proseLines(read(path)).entries()) {
    for (const link of linksIn(prose, original[index])) checkLink(path, index + 1, link);
    checkNumbers(path, index + 1, original[index]);
    if (path.startsWith('docs/decisions/')) for (const [number] of prose.matchAll(/(?<![\w-])00\d\d(?![\w-])/gu)) requireDecision(path, index + 1, Number(number));
  }
}
for (const path of tracked.filter((path) => SOURCES.test(path))) {
  for (const [index, line] of read(path).split('\n').entries()) checkNumbers(path, index + 1, line);
}
checkDecisions();
for (const path of pages) if (path.startsWith('docs/') && !linked.has(path)) fault(path, undefined, 'no other page links to it');

for (const line of faults) console.error(line);
console.log(`${faults.length} faults in ${pages.length} documents`);
process.exitCode = faults.length === 0 ? 0 : 1;

function checkLength(path) {
  const [, max] = MAX_LINES.find(([pattern]) => pattern.test(path)) ?? [];
  const lines = read(path).trimEnd().split('\n').length;
  if (max !== undefined && lines > max) fault(path, undefined, `has ${lines} lines, ${max} are allowed`);
}

function checkLink(path, line, { text, target }) {
  if (/^[a-z][a-z0-9+.-]*:/iu.test(target)) return;
  const [file, anchor] = target.split('#');
  const found = file === '' ? path : normalize(join(dirname(path), decodeURIComponent(file))).replace(/\/$/u, '');
  if (!existsSync(join(values.folder, found))) return fault(path, line, `${target} does not exist`);
  const page = statSync(join(values.folder, found)).isDirectory() ? `${found}/README.md` : found;
  if (page !== path) linked.add(page);
  if (anchor !== undefined && page.endsWith('.md') && !anchorsOf(read(page)).has(anchor)) fault(path, line, `${found} has no heading #${anchor}`);
  const number = DECISION.exec(found)?.[1];
  const named = /(?:^|\b(?:decision|ADR) )(\d{1,4})$/iu.exec(text)?.[1];
  if (number !== undefined && named !== undefined && Number(named) !== Number(number)) fault(path, line, `"${text}" links to decision ${Number(number)}`);
}

function checkNumbers(path, line, text) {
  for (const number of decisionNumbersIn(text)) requireDecision(path, line, number);
}

function requireDecision(path, line, number) {
  if (!decisions.has(number)) fault(path, line, `there is no decision ${number}`);
}

function checkDecisions() {
  const index = tracked.includes(INDEX) ? read(INDEX).split('\n') : [];
  const records = new Map([...decisions].map(([number, path]) => [number, { path, ...readDecision(number, read(path)) }]));
  for (const [number, { path, faults: found, supersededBy, supersedes }] of records) {
    for (const text of found) fault(path, undefined, text);
    const row = index.find((line) => line.startsWith(`| ${number} | `));
    if (row !== undefined && supersededBy.some((later) => !row.includes(`[${later}](`))) fault(INDEX, undefined, `the row of decision ${number} does not say by which ones it is superseded`);
    for (const later of supersededBy) if (!records.get(later)?.supersedes.includes(number)) fault(path, undefined, `decision ${later} does not say that it supersedes this one`);
    for (const earlier of supersedes) if (!records.get(earlier)?.supersededBy.includes(number)) fault(path, undefined, `decision ${earlier} does not say that this one supersedes it`);
  }
}
