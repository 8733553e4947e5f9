// Exports that no other file names. `npm run lint` fails when a part of the repository has more of them than
// scripts/unused-exports.json allows; the numbers there may only fall. `--list` prints them.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));
const LIMIT = 'scripts/unused-exports.json';
const FOLDERS = ['apps', 'libs', 'test', 'bench', 'scripts', 'sdks/command'];
const SKIPPED = /(^|\/)(node_modules|dist|generated)(\/|$)/;

const files = FOLDERS.flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile() && /\.(ts|mjs)$/.test(entry.name))
  .map(({ parentPath, name }) => relative(root, join(parentPath, name)))
  .concat('jest.config.mjs')
  .filter((path) => !SKIPPED.test(path));

/** Counts of the files that name each identifier, and the declarations that each file exports. */
const namedIn = new Map();
const exported = [];
for (const path of files) {
  const source = ts.createSourceFile(path, readFileSync(join(root, path), 'utf8'), ts.ScriptTarget.Latest);
  const names = new Set();
  const visit = (node) => {
    if (ts.isIdentifier(node) || ts.isStringLiteral(node)) names.add(node.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  for (const name of names) namedIn.set(name, (namedIn.get(name) ?? 0) + 1);
  for (const statement of source.statements) for (const name of exportsOf(statement)) exported.push({ path, name });
}

function exportsOf(statement) {
  const isExported = ts.canHaveModifiers(statement) && ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
  // A default export is imported by its path.
  if (!isExported || ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword)) return [];
  if (ts.isVariableStatement(statement)) return statement.declarationList.declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? [name.text] : []));
  return statement.name ? [statement.name.text] : [];
}

const unused = exported.filter(({ name }) => namedIn.get(name) === 1);
if (process.argv.includes('--list')) for (const { path, name } of unused) console.log(`${path}: ${name}`);

const partOf = (path) => path.split('/').slice(0, 2).join('/');
const allowed = JSON.parse(readFileSync(join(root, LIMIT), 'utf8'));
for (const [part, names] of Map.groupBy(unused, ({ path }) => partOf(path))) {
  if (names.length <= (allowed[part] ?? 0)) continue;
  console.error(`${part} exports ${names.length} names that no other file has, ${allowed[part] ?? 0} are allowed: ${names.map(({ name }) => name).join(', ')}`);
  process.exitCode = 1;
}
