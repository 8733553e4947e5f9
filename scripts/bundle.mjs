// Joins what build.mjs compiled, with the packages that every start needs and the clients of servers, to a few files in bundle/: Node
// otherwise finds and reads two thousand for each process, which is more work than all else of a start.
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build as esbuild, stop } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const OUT = join(root, 'bundle');
const STAMP = join(OUT, 'made-of');
/** Files that are being written. */
const PARTS = join(root, 'tmp');

/** Loaded only where a setting or a request asks for them, or in a worker; Node finds them as ever. `kafkajs-patches` patches the kafkajs that Node finds. */
const APART = ['@azure', '@fontsource', '@fontsource-variable', 'bidi-js', 'chrono-node', 'cli-progress', 'fflate', 'fontkit', 'google-auth-library', 'kafkajs', 'linebreak', 'onnxruntime-node', 'openai', 'pdfkit', 'sherpa-onnx-node', 'stemmer', 'stopword', 'swagger-ui-dist', 'vader-sentiment', 'woff2-encoder'];

/** Clients of MongoDB, S3, AWS KMS and OpenSearch: in files of their own, which only processes that use those servers read. */
const OF_SERVERS = ['@aws-sdk', '@opensearch-project', 'mongoose'];

/** Optional native packages: `ws` loads bufferutil if it is installed, and works without it. */
const NATIVE = ['bufferutil'];

/** A global of it is what others need before they are loaded. */
const FIRST = ['reflect-metadata'];

/** Optional packages of Nest that are not installed. */
const NOT_THERE = ['@fastify/view', '@grpc/reflection', '@nats-io', '@nestjs/platform-express', '@nestjs/websockets', 'amqp-connection-manager', 'amqplib', 'class-transformer', 'class-validator', 'ioredis', 'mqtt', 'nats'];

/** Packages that no bundle holds. */
export const EXTERNAL = [...APART, ...NATIVE, ...FIRST, ...NOT_THERE].flatMap((name) => [name, `${name}/*`]);

/** So Nest asks for gRPC, of which the bundle must hold one. */
const GRPC_OF_ITS_OWN = [/\bcreateRequire\(import\.meta\.url\)\((?:protoLoader|'(@grpc\/grpc-js)')\)/g, (_, name) => `require('${name ?? '@grpc/proto-loader'}')`];

/** A file keeps its own address: by it it finds its worker, its prompts and its page, which stay where they are. */
export async function atHome(path, out = OUT) {
  const text = (await readFile(path, 'utf8')).replaceAll(...GRPC_OF_ITS_OWN);
  const home = `new URL(${JSON.stringify(relative(out, path).split(sep).join('/'))}, bundleAddress)`;
  const contents = text.replaceAll(/\bimport\.meta\.url\b/g, `${home}.href`);
  if (!path.includes('node_modules') || !/\b__(file|dir)name\b/.test(text)) return contents;
  return `const __filename = require('node:url').fileURLToPath(${home}), __dirname = require('node:path').dirname(__filename);${contents}`;
}

const isOf = (prefixes) => (name) => prefixes.some((prefix) => name === prefix || name.startsWith(`${prefix}/`));

/** The packages of one workspace that the bundle is to hold: those of every start, or the clients of servers. */
async function packagesOf(workspace, ofServers) {
  const { dependencies } = JSON.parse(await readFile(join(root, workspace, 'package.json'), 'utf8'));
  const isApart = isOf([...APART, ...FIRST, '@parlance']);
  return Object.keys(dependencies ?? {}).filter((name) => !isApart(name) && isOf(OF_SERVERS)(name) === ofServers);
}

async function workspaces() {
  const groups = await Promise.all(['apps', 'libs'].map(async (group) => (await readdir(join(root, group))).map((name) => `${group}/${name}`)));
  return groups.flat().filter((name) => name !== 'libs/testing');
}

/**
 * Keeps packages in files without own code: they need no source map, which Node would read and measure line by line at each start.
 * esbuild never joins modules that different entry points reach, and this one reaches packages only.
 */
const packagesApart = {
  name: 'packages-apart',
  setup({ onLoad, onResolve }) {
    for (const kind of ['packages', 'server-packages']) {
      onResolve({ filter: new RegExp(`^${kind}:`) }, ({ path }) => ({ path: path.slice(`${kind}:`.length), namespace: kind }));
      onLoad({ filter: /.*/, namespace: kind }, async ({ path }) => {
        const all = path === 'all' ? (await workspaces()).map((name) => `${kind}:${name}`) : await packagesOf(path, kind === 'server-packages');
        return { contents: all.map((name, index) => `export * as _${index} from '${name}';`).join('\n'), resolveDir: path === 'all' ? root : join(root, path) };
      });
    }
    onLoad({ filter: /\.[cm]?js$/, namespace: 'file' }, async ({ path }) => ({ contents: await atHome(path), resolveDir: dirname(path) }));
  },
};

async function entryPoints() {
  const mains = (await workspaces()).filter((name) => name.startsWith('apps/')).map((name) => [name.slice('apps/'.length), join(root, name, 'dist', 'main.js')]);
  const mediaDecoder = ['media-decoder', join(root, 'apps', 'ingest', 'dist', 'media', 'decoder', 'main.js')];
  return Object.fromEntries([...mains, mediaDecoder, ['parlance-admin', join(root, 'apps', 'standalone', 'dist', 'admin', 'main.js')], ['packages', 'packages:all'], ['server-packages', 'server-packages:all']]);
}

/** A hash of the packages and of this file. */
async function made() {
  const hash = createHash('sha256');
  for (const path of ['package-lock.json', 'scripts/bundle.mjs']) hash.update(await readFile(join(root, path)));
  return hash.digest('hex');
}

/** True when the bundle is up to date: `outdate` is called before compiled files change. */
export async function isBundled() {
  try {
    return (await readFile(STAMP, 'utf8')) === (await made());
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return false;
  }
}

/** Writes the file as a whole or not at all, also when the process is killed. */
export async function put(path, text) {
  await mkdir(PARTS, { recursive: true });
  const part = join(PARTS, randomUUID());
  await writeFile(part, text);
  await rename(part, path);
}

/** Until `bundle` ends, every process that is killed or builds at the same time causes a new bundle. */
export const outdate = () => rm(STAMP, { force: true });

export async function bundle() {
  await mkdir(OUT, { recursive: true });
  const before = await readdir(OUT);
  await outdate();
  const { outputFiles, metafile } = await esbuild({
    entryPoints: await entryPoints(),
    outdir: OUT,
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    // Node's own conditions only: esbuild would add `module`.
    conditions: [],
    external: EXTERNAL,
    sourcemap: true,
    sourcesContent: false,
    banner: { js: "import { createRequire as createBundleRequire } from 'node:module'; const bundleAddress = import.meta.url, require = createBundleRequire(bundleAddress);" },
    plugins: [packagesApart],
    logLevel: 'error',
    // Its process would stay as long as ours does, beside the product.
  }).finally(stop);
  const isOwn = (path) => Object.keys(metafile.outputs[relative(root, path).split(sep).join('/')].inputs).some((input) => /^(apps|libs)\/[^/]+\/dist\//.test(input));
  const written = outputFiles.flatMap(({ path, text }) => {
    const file = path.replace(/\.map$/, '');
    if (isOwn(file)) return [[basename(path), text]];
    return path === file ? [[basename(path), text.replace(/\n\/\/# sourceMappingURL=.*\n?$/, '\n')]] : [];
  });
  await Promise.all([...written, ['package.json', '{ "type": "module" }\n']].map(([name, text]) => put(join(OUT, name), text)));
  const current = new Set(['package.json', ...outputFiles.map(({ path }) => basename(path))]);
  await Promise.all(before.filter((name) => !current.has(name)).map((name) => rm(join(OUT, name), { force: true })));
  await writeFile(STAMP, await made());
}
