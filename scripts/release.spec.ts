import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const script = fileURLToPath(new URL('./release.mjs', import.meta.url));
const GOOD = `sha256:${'a'.repeat(64)}`;
let programs: string;
beforeEach(() => {
  programs = mkdtempSync(join(tmpdir(), 'parlance-release-'));
});
afterEach(() => rmSync(programs, { recursive: true }));

function program(name: string, body: string): void {
  writeFileSync(join(programs, name), `#!/bin/sh\n${body}\n`);
  chmodSync(join(programs, name), 0o755);
}

function release(args: string[] = [], path = `${programs}${delimiter}${process.env['PATH']}`) {
  return spawnSync(process.execPath, [script, '--image', 'registry.example/parlance', '--version', '1.2.3', ...args], { env: { PATH: path }, encoding: 'utf8' });
}

/** Stands for docker: keeps the Dockerfile that it is to build, and answers as buildx does. */
const docker = (digest: string) =>
  program('docker', `case "$2" in
version) ;;
imagetools) echo '${digest}' ;;
build) cp "$4" '${programs}/Dockerfile'; while [ "$1" != --metadata-file ]; do shift; done; echo '{"containerimage.digest":"${GOOD}"}' > "$2" ;;
*) echo '{}' ;;
esac`);

describe('the release of the image', () => {
  it('prints all of its commands in a dry run, and needs no tool for that', () => {
    const { status, stdout } = release(['--dry-run'], programs);
    expect(status).toBe(0);
    const commands = stdout.split('\n').filter((line) => line.startsWith('+ ')).map((line) => line.split(' ').slice(1, 4).join(' '));
    expect(commands).toEqual(['docker buildx imagetools', 'docker buildx imagetools', 'docker buildx build', 'docker run --rm', 'cosign sign --yes', 'cosign attest --yes']);
    expect(stdout).toContain('--provenance=mode=max --sbom=true');
    expect(stdout).not.toContain('sha256:');
  });

  it('builds from base images that are pinned by digest, and signs what was built', () => {
    docker(GOOD);
    program('cosign', `echo "$*" >> '${programs}/signed'`);
    const { status, stdout } = release();
    expect([status, stdout]).toEqual([0, expect.stringContaining(`released registry.example/parlance@${GOOD}`)]);
    const bases = readFileSync(join(programs, 'Dockerfile'), 'utf8').match(/^FROM \S+/gm);
    expect(bases).toEqual([`FROM node:24-trixie-slim@${GOOD}`, `FROM node:24-trixie-slim@${GOOD}`, `FROM debian:trixie-slim@${GOOD}`]);
    expect(readFileSync(join(programs, 'signed'), 'utf8')).toContain(`sign --yes --recursive registry.example/parlance@${GOOD}`);
  });

  it.each(['', 'not found', 'sha256:short'])('builds nothing when the registry answers %p for a digest', (answer) => {
    docker(answer);
    program('cosign', 'exit 0');
    const { status, stdout, stderr } = release();
    expect([status, stderr]).toEqual([1, expect.stringContaining('The registry gave no digest of node:24-trixie-slim.')]);
    expect(stdout).not.toContain('buildx build');
  });

  it('names the tools that are missing', () => {
    const { status, stderr } = release([], programs);
    expect([status, stderr]).toEqual([1, expect.stringContaining('Missing: docker buildx, cosign version.')]);
  });
});
