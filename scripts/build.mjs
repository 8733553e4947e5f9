// Compiles every package's src/ to dist/ with swc and joins that to bundle/: some seconds for the whole repository, and nothing
// for what is built, so that it runs on each start.
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transform } from '@swc/core';
import { bundle, isBundled, outdate, put } from './bundle.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Specs, fixtures and contract suites run from their sources. */
const TEST_CODE = /\.(?:spec|fixture)\.ts$|\/src\/contract\//;

async function* filesUnder(folder) {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesUnder(path);
    else yield path;
  }
}

const newerThan = async (target, source) => {
  try {
    return (await stat(target)).mtimeMs >= (await stat(source)).mtimeMs;
  } catch {
    return false;
  }
};

async function compile(source, target, options) {
  if (await newerThan(target, source)) return 0;
  await outdate();
  await mkdir(dirname(target), { recursive: true });
  if (!source.endsWith('.ts')) {
    await put(target, await readFile(source));
    return 1;
  }
  const { code, map } = await transform(await readFile(source, 'utf8'), {
    ...options,
    swcrc: false,
    filename: source,
    sourceFileName: relative(dirname(target), source),
  });
  await put(`${target}.map`, map);
  await put(target, `${code}\n//# sourceMappingURL=${target.split('/').pop()}.map\n`);
  return 1;
}

/** Removes what an earlier build left in dist/ and no source accounts for. */
async function prune(dist, expected) {
  const stale = [];
  try {
    for await (const path of filesUnder(dist)) if (!expected.has(path.replace(/\.map$/, ''))) stale.push(path);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  if (stale.length > 0) await outdate();
  await Promise.all(stale.map((path) => rm(path, { force: true })));
}

export async function build() {
  const { $schema: _, ...options } = JSON.parse(await readFile(join(root, '.swcrc'), 'utf8'));
  let compiled = 0;
  for (const group of ['libs', 'apps']) {
    for (const name of await readdir(join(root, group))) {
      const src = join(root, group, name, 'src');
      const dist = join(root, group, name, 'dist');
      const expected = new Set();
      const work = [];
      for await (const source of filesUnder(src)) {
        if (TEST_CODE.test(source)) continue;
        const target = join(dist, relative(src, source)).replace(/\.ts$/, '.js');
        expected.add(target);
        work.push(compile(source, target, options));
      }
      for (const count of await Promise.all(work)) compiled += count;
      await prune(dist, expected);
    }
  }
  if (!(await isBundled())) await bundle();
  return compiled;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(`built: ${await build()} files compiled`);
