import { readdir, readFile } from 'node:fs/promises';

/** The cases of a folder beside this one, by name. */
export async function readCases(folder) {
  const files = new URL(`../${folder}/`, import.meta.url);
  const cases = new Map();
  for (const file of (await readdir(files)).toSorted()) {
    for (const each of JSON.parse(await readFile(new URL(file, files), 'utf8'))) {
      if (cases.has(each.name)) throw new Error(`Two cases are named ${each.name}.`);
      cases.set(each.name, each);
    }
  }
  return cases;
}
