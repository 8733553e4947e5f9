// The image's bill of materials: `node sbom.mjs NPM_SBOM DPKG_LIST` prints CycloneDX 1.5 with the npm and the Debian packages.
// DPKG_LIST has a line `name<tab>version<tab>architecture` for each. Nothing in it depends on when it was made.
import { existsSync, readFileSync } from 'node:fs';

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

/** Linked into sherpa-onnx, of which npm states Apache-2.0 alone. The version of the source is in sherpa-onnx's cmake/espeak-ng-for-piper.cmake. */
const espeak = {
  type: 'library',
  name: 'espeak-ng',
  licenses: [{ license: { id: 'GPL-3.0-or-later' } }],
  externalReferences: [{ type: 'vcs', url: 'https://github.com/csukuangfj/espeak-ng' }],
};

/** WITH_LOCAL_MODELS=false removes sherpa-onnx after npm has listed it. */
const isThere = ({ name }) => !name.startsWith('sherpa-onnx-') || existsSync(`node_modules/${name}`);
const withParts = (component) => (/^sherpa-onnx-(?:linux|darwin|win)-/.test(component.name) ? { ...component, components: [espeak] } : component);

const { timestamp: _now, ...metadata } = npm.metadata;
metadata.component = { ...metadata.component, type: 'container', name: 'parlance' };
const components = [...npm.components.filter(isThere).map(withParts), ...debian];
const removed = new Set(npm.components.filter((component) => !isThere(component)).map((component) => component['bom-ref']));
const dependencies = npm.dependencies
  .filter(({ ref }) => !removed.has(ref))
  .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((other) => !removed.has(other)) }));
process.stdout.write(`${JSON.stringify({ ...npm, metadata, components, dependencies }, null, 1)}\n`);
