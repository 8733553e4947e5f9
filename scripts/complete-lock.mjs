// Adds to package-lock.json the optional packages of other platforms that npm left out.
// npm drops an optional dependency whose exact version the registry at hand does not have (a mirror often lacks packages that were
// never requested), and `npm ci` then refuses the lock file everywhere. An entry without integrity is enough: npm skips it by
// `os` and `cpu` on every other platform, and fetches it from the user's registry on its own.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const path = join(fileURLToPath(new URL('..', import.meta.url)), 'package-lock.json');

const SYSTEMS = ['darwin', 'linux', 'win32', 'freebsd', 'openbsd', 'netbsd', 'android', 'openharmony', 'aix', 'sunos'];
/** Processor names in package names, by Node's name for them; the longest that fits counts. */
const PROCESSORS = { x64: 'x64', arm64: 'arm64', aarch64: 'arm64', ia32: 'ia32', armv7: 'arm', arm: 'arm', ppc64: 'ppc64', riscv64: 'riscv64', s390x: 's390x', loong64: 'loong64', wasm32: 'wasm32' };

/** `os`, `cpu` and `libc` of a package that is named after its platform; undefined for any other name. */
function platformOf(name) {
  const parts = name.split('/').pop().split('-');
  const os = SYSTEMS.find((system) => parts.includes(system));
  const processor = parts.map((part) => PROCESSORS[part]).find((cpu) => cpu !== undefined);
  if (os === undefined || processor === undefined) return undefined;
  const libc = parts.some((part) => part.startsWith('musl')) ? ['musl'] : parts.some((part) => part.startsWith('gnu')) && os === 'linux' ? ['glibc'] : undefined;
  return { os: [os], cpu: [processor], ...(libc && processor !== 'arm' ? { libc } : {}) };
}

function completeLock(lock) {
  const added = [];
  for (const [at, entry] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      if (at === '' || lock.packages[`node_modules/${name}`] || lock.packages[`${at}/node_modules/${name}`]) continue;
      const platform = platformOf(name);
      if (!platform) continue;
      lock.packages[`node_modules/${name}`] = { version, ...platform, ...(entry.dev ? { dev: true } : {}), optional: true };
      added.push(`${name}@${version}`);
    }
  }
  lock.packages = Object.fromEntries(Object.entries(lock.packages).toSorted(([a], [b]) => a.localeCompare(b, 'en')));
  return added;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const lock = JSON.parse(readFileSync(path, 'utf8'));
  const added = completeLock(lock);
  writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(added.length === 0 ? 'complete' : `added ${added.length}: ${added.join(', ')}`);
}
