// Releases the image: pins its base images by digest, builds with provenance and a bill of materials, pushes, signs and attests.
//   node scripts/release.mjs --image REGISTRY/NAME --version X.Y.Z [--platforms linux/amd64,linux/arm64] [--dry-run]
// --dry-run prints the commands and runs none. Signing is keyless, by the identity that cosign asks for.
// Digests come from the registry at the time of the release; the Dockerfile in the repository is not changed.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const TOOLS = { docker: ['buildx', 'version'], cosign: ['version'] };
const DIGEST = /^sha256:[0-9a-f]{64}$/;
/** In place of a digest that a dry run does not look up. */
const UNKNOWN = 'DIGEST';

class ReleaseError extends Error {}

const { values: options } = parseArgs({
  options: {
    image: { type: 'string' },
    version: { type: 'string' },
    platforms: { type: 'string', default: 'linux/amd64,linux/arm64' },
    'dry-run': { type: 'boolean', default: false },
  },
});

function execute(command, args) {
  console.log(['+', command, ...args].join(' '));
  if (options['dry-run']) return '';
  const { status, stdout, error } = spawnSync(command, args, { cwd: root, encoding: 'utf8', stdio: ['inherit', 'pipe', 'inherit'], maxBuffer: 2 ** 28 });
  if (error || status !== 0) throw new ReleaseError(`${command} ${args[0]} failed${error ? `: ${error.message}` : ` with status ${status}`}.`);
  return stdout;
}

function requireTools() {
  const missing = Object.entries(TOOLS).filter(([tool, args]) => spawnSync(tool, args, { stdio: 'ignore' }).status !== 0);
  if (missing.length > 0) throw new ReleaseError(`Missing: ${missing.map(([tool, [part]]) => `${tool} ${part}`).join(', ')}. Install docker with buildx, and cosign.`);
}

function digestOf(image) {
  const found = execute('docker', ['buildx', 'imagetools', 'inspect', image, '--format', '{{.Manifest.Digest}}']).trim();
  if (options['dry-run']) return UNKNOWN;
  if (!DIGEST.test(found)) throw new ReleaseError(`The registry gave no digest of ${image}.`);
  return found;
}

/** Every external base image as `name:tag@digest`. */
function pinned(dockerfile) {
  const stages = new Set([...dockerfile.matchAll(/^FROM \S+ AS (\S+)/gm)].map(([, name]) => name));
  const bases = new Set([...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image).filter((image) => !stages.has(image)));
  const digests = new Map([...bases].map((image) => [image, image.includes('@') ? image : `${image}@${digestOf(image)}`]));
  return dockerfile.replace(/^FROM (\S+)/gm, (_line, image) => `FROM ${digests.get(image) ?? image}`);
}

function build(folder, tag) {
  const file = join(folder, 'Dockerfile');
  const metadata = join(folder, 'metadata.json');
  writeFileSync(file, pinned(readFileSync(join(root, 'deploy/Dockerfile'), 'utf8')));
  const revision = options['dry-run'] ? 'REVISION' : execute('git', ['rev-parse', 'HEAD']).trim();
  execute('docker', ['buildx', 'build', '--file', file, '--tag', tag, '--platform', options.platforms, '--provenance=mode=max', '--sbom=true', '--build-arg', `VERSION=${options.version}`, '--build-arg', `REVISION=${revision}`, '--metadata-file', metadata, '--push', root]);
  const digest = options['dry-run'] ? UNKNOWN : JSON.parse(readFileSync(metadata, 'utf8'))['containerimage.digest'];
  if (!options['dry-run'] && !DIGEST.test(digest)) throw new ReleaseError('The build gave no digest.');
  return `${options.image}@${digest}`;
}

/** Our own bill of materials, which names what is linked into packages; buildx attaches its own and the provenance. */
function attest(folder, built) {
  const sbom = join(folder, 'sbom.cdx.json');
  const text = execute('docker', ['run', '--rm', '--entrypoint', 'cat', built, '/usr/share/parlance/sbom.cdx.json']);
  if (!options['dry-run']) writeFileSync(sbom, text);
  execute('cosign', ['sign', '--yes', '--recursive', built]);
  execute('cosign', ['attest', '--yes', '--type', 'cyclonedx', '--predicate', sbom, built]);
}

function release() {
  if (!options.image || !options.version) throw new ReleaseError('Give --image REGISTRY/NAME and --version X.Y.Z.');
  if (!options['dry-run']) requireTools();
  const folder = mkdtempSync(join(tmpdir(), 'parlance-release-'));
  try {
    const built = build(folder, `${options.image}:${options.version}`);
    attest(folder, built);
    console.log(options['dry-run'] ? 'dry run: nothing was built, pushed or signed' : `released ${built}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

try {
  release();
} catch (error) {
  if (!(error instanceof ReleaseError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
