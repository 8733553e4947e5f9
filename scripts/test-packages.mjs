// Joins packages that most suites load to a few files: a suite with Nest finds and reads 1,200 files of them, and that is a third of
// what it takes to load. Jest does it anew for each suite (jest.config.mjs maps the names of these packages to the files).
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build as esbuild, stop } from 'esbuild';
import { atHome, EXTERNAL } from './bundle.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const CACHE = join(root, 'node_modules', '.cache', 'test-packages');
/** Files are kept for so long after others took their place, since another process may use them. */
const KEPT_MS = 24 * 3600_000;

/** Names of packages, and the workspace that has its own version of one. */
const PACKAGES = {
  '@bufbuild/protobuf': '.',
  '@bufbuild/protobuf/wire': '.',
  '@bufbuild/protobuf/wkt': '.',
  '@fastify/busboy': '.',
  '@fastify/compress': '.',
  '@fastify/multipart': '.',
  '@fastify/static': '.',
  '@grpc/grpc-js': '.',
  '@nestjs/common': '.',
  '@nestjs/core': '.',
  '@nestjs/microservices': '.',
  '@nestjs/platform-fastify': '.',
  '@opentelemetry/api': '.',
  '@opentelemetry/resources': '.',
  '@opentelemetry/sdk-trace': '.',
  fastify: '.',
  pino: '.',
  'prom-client': '.',
  rxjs: '.',
  undici: 'libs/egress',
  zod: '.',
  'zod-openapi': '.',
};

const fileOf = (name) => name.replaceAll(/[@/]/g, '_');

function madeOf() {
  const hash = createHash('sha256');
  for (const path of ['package-lock.json', 'scripts/bundle.mjs', 'scripts/test-packages.mjs']) hash.update(readFileSync(join(root, path)));
  return hash.digest('hex');
}

/** It is there as a whole or not at all, also when a process is killed that makes it. */
const OUT = join(CACHE, madeOf());

/** For Jest's `moduleNameMapper`; nothing before they are made. */
export const testPackages = () => (existsSync(OUT) ? Object.fromEntries(Object.keys(PACKAGES).map((name) => [`^${name}$`, join(OUT, `${fileOf(name)}.js`)])) : {});

/** A module with the exports of the package, as Node finds them: esbuild knows none by name of a CommonJS module. */
async function facade(name) {
  const from = createRequire(join(root, PACKAGES[name], 'package.json'));
  const names = Object.keys(await import(pathToFileURL(from.resolve(name)).href)).filter((each) => each !== 'default' && each !== 'module.exports');
  return `import * as all from '${name}';\nexport default all.default;\nexport const { ${names.join(', ')} } = all;`;
}

const facades = {
  name: 'facades',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^facade:/ }, ({ path }) => ({ path: path.slice('facade:'.length), namespace: 'facade' }));
    // zod's messages in fifty languages, of which the product uses English.
    onResolve({ filter: /^\.\.\/locales\/index\.js$/ }, () => ({ path: join(root, 'node_modules', 'zod', 'v4', 'locales', 'en.js') }));
    onLoad({ filter: /.*/, namespace: 'facade' }, async ({ path }) => ({ contents: await facade(path), resolveDir: join(root, PACKAGES[path]) }));
    onLoad({ filter: /\.[cm]?js$/, namespace: 'file' }, async ({ path }) => ({ contents: await atHome(path, OUT), resolveDir: dirname(path) }));
  },
};

async function removeOld() {
  for (const path of (await readdir(CACHE)).map((name) => join(CACHE, name))) {
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Infinity }));
    if (path !== OUT && Date.now() - mtimeMs > KEPT_MS) await rm(path, { recursive: true, force: true });
  }
}

export async function makeTestPackages() {
  if (existsSync(OUT)) return;
  const part = join(CACHE, `part-${randomUUID()}`);
  await mkdir(part, { recursive: true });
  await esbuild({
    entryPoints: Object.fromEntries(Object.keys(PACKAGES).map((name) => [fileOf(name), `facade:${name}`])),
    outdir: part,
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    conditions: [],
    external: EXTERNAL,
    banner: { js: "import { createRequire as createBundleRequire } from 'node:module'; const bundleAddress = import.meta.url, require = createBundleRequire(bundleAddress);" },
    plugins: [facades],
    logLevel: 'error',
  }).finally(stop);
  await writeFile(join(part, 'package.json'), '{ "type": "module" }\n');
  await rename(part, OUT).catch(async (error) => {
    await rm(part, { recursive: true });
    // Another process has made them meanwhile.
    if (!existsSync(OUT)) throw error;
  });
  await removeOld();
}
