// Looks for code under the GPL in the binaries of the packages that ship: npm's licence field says nothing about libraries that
// are linked in. A finding passes when a paragraph of NOTICE names both the package and the library.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const BINARY = /\.(?:so(?:\.[\d.]+)?|node|dylib|dll|wasm)$/;

/** Names that each library exports or prints; a mere mention, such as a codec's name, is none. */
const MARKERS = {
  'espeak-ng': /espeak_(?:Initialize|TextToPhonemes|ng_PrintStatus)|ESPEAK_DATA_PATH|espeak-ng library/,
  fftw: /fftw[fl]?_(?:plan_|execute|malloc|destroy_plan)/,
  x264: /x264_(?:encoder_|param_default|picture_)/,
  x265: /x265_(?:encoder_|param_default|api_get)/,
  xvid: /xvid_(?:global|encore|decore)/,
  readline: /rl_(?:readline_name|line_buffer|attempted_completion_function)|GNU Readline/,
  rubberband: /rubberband_(?:new|process|retrieve)/,
  libpostproc: /postproc_license|pp_get_context/,
  'GNU Scientific Library': /gsl_(?:vector|matrix|rng)_alloc/,
  'a notice of the GPL': /under the terms of (?:version \d of )?the GNU General Public License/,
};

/** Paths in the lock file's `packages` that are installed, except those for development alone. */
function shippedPackages(root) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return Object.entries(packages)
    .filter(([path, entry]) => path.includes('node_modules/') && !entry.dev && !entry.link && existsSync(join(root, path)))
    .map(([path]) => path);
}

/** A nested node_modules has entries of its own in the lock file. */
function* binariesIn(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== 'node_modules') yield* binariesIn(path);
    else if (entry.isFile() && BINARY.test(entry.name)) yield path;
  }
}

function librariesIn(file) {
  const text = readFileSync(file, 'latin1');
  return Object.keys(MARKERS).filter((library) => MARKERS[library].test(text));
}

/** @returns {{ scanned: number, undeclared: string[] }} one line for each library that NOTICE does not declare */
function scanBinaries(root) {
  const paragraphs = readFileSync(join(root, 'NOTICE'), 'utf8').split(/\n\s*\n/);
  const undeclared = [];
  let scanned = 0;
  for (const path of shippedPackages(root)) {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const declared = paragraphs.filter((paragraph) => paragraph.split(/[\s,]+/).includes(name));
    for (const file of binariesIn(join(root, path))) {
      scanned += 1;
      for (const library of librariesIn(file)) {
        if (!declared.some((paragraph) => paragraph.includes(library))) undeclared.push(`${relative(root, file)}: ${library}`);
      }
    }
  }
  return { scanned, undeclared };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = process.argv[2] ? resolve(process.argv[2]) : fileURLToPath(new URL('..', import.meta.url));
  const { scanned, undeclared } = scanBinaries(root);
  for (const line of undeclared) console.error(`NOTICE does not declare ${line}`);
  console.log(`${scanned} binaries scanned, ${undeclared.length} undeclared libraries under the GPL`);
  process.exitCode = scanned > 0 && undeclared.length === 0 ? 0 : 1;
}
