// The image's bill of materials: `node sbom.mjs NPM_SBOM DPKG_LIST` prints CycloneDX 1.5 with the npm and the Debian packages.
// DPKG_LIST has a line `name<tab>version<tab>architecture` for each. Nothing in it depends on when it was made.
import { readFileSync } from 'node:fs';

const [npmPath, dpkgPath] = process.argv.slice(2);
const { serialNumber: _random, ...npm } = JSON.parse(readFileSync(npmPath, 'utf8'));
const distribution = Object.fromEntries(
  readFileSync('/etc/os-release', 'utf8')
    .split('\n')
    .map((line) => line.split('='))
    .map(([name, value = '']) => [name, value.replaceAll('"', '')]),
);

const debian = readFileSync(dpkgPath, 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.split('\t'))
  .map(([binary, version, architecture]) => {
    const name = binary.split(':')[0];
    const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}&distro=debian-${distribution.VERSION_ID}`;
    return { 'bom-ref': purl, type: 'library', name, version, purl };
  });

const { timestamp: _now, ...metadata } = npm.metadata;
metadata.component = { ...metadata.component, type: 'container', name: 'parlance' };
const components = [...npm.components, ...debian];
process.stdout.write(`${JSON.stringify({ ...npm, metadata, components }, null, 1)}\n`);
