// Joins packages that most suites load to a few files: a suite with Nest finds and reads 1,200 files of them, and that is a third of
// what it takes to load. Jest does it anew for each suite (jest.config.mjs maps the names of these packages to the files).
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build as esbuild, stop } from 'esbuild';
import { atHome, EXTERNAL } from './bundle.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const OUT = join(root, 'node_modules', '.cache', 'test-packages');
const STAMP = join(OUT, 'made-of');

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

const isMade = () => existsSync(STAMP) && readFileSync(STAMP, 'utf8') === madeOf();

/** For Jest's `moduleNameMapper`; nothing before they are made. */
export const testPackages = () => (isMade() ? Object.fromEntries(Object.keys(PACKAGES).map((name) => [`^${name}$`, join(OUT, `${fileOf(name)}.js`)])) : {});

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

export async function makeTestPackages() {
  if (isMade()) return;
  await rm(OUT, { recursive: true, force: true });
  await mkdir(OUT, { recursive: true });
  await esbuild({
    entryPoints: Object.fromEntries(Object.keys(PACKAGES).map((name) => [fileOf(name), `facade:${name}`])),
    outdir: OUT,
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
  await writeFile(join(OUT, 'package.json'), '{ "type": "module" }\n');
  await writeFile(STAMP, madeOf());
}
