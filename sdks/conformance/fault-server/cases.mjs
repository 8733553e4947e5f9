import { readdir, readFile } from 'node:fs/promises';

const FOLDER = new URL('../cases/', import.meta.url);

/** All cases by name. */
export async function readCases() {
  const cases = new Map();
  for (const file of (await readdir(FOLDER)).toSorted()) {
    for (const each of JSON.parse(await readFile(new URL(file, FOLDER), 'utf8'))) {
      if (cases.has(each.name)) throw new Error(`Two cases are named ${each.name}.`);
      cases.set(each.name, each);
    }
  }
  return cases;
}
