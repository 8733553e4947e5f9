import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { build, stop } from 'esbuild';
import { createEgress } from './egress.js';
import { FORBIDDEN_NAMES, FORBIDDEN_RECEIVERS, FORBIDDEN_URLS } from './forbidden-targets.fixture.js';
import { scriptedLookup } from './scripted-lookup.fixture.js';

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code;
const POST = { method: 'POST' as const, headers: {}, body: '{}', timeoutMs: 1_000, maxBytes: 100 };

describe('a target that a caller must not reach', () => {
  const egress = () => createEgress({ allow: [], lookup: scriptedLookup(FORBIDDEN_NAMES), connectTimeoutMs: 1_000 });
  const named = Object.keys(FORBIDDEN_NAMES).flatMap((name) => [`http://${name}/`, `https://${name}:8443/`]);

  it('is refused by its address, its port or its form, and never for want of an answer', async () => {
    const guarded = egress();
    const targets = [...FORBIDDEN_URLS, ...named];
    expect(targets.length).toBeGreaterThanOrEqual(170);
    const outcomes = await Promise.all(targets.map(async (url) => ({ url, code: codeOf(await guarded.request(url, { method: 'GET' }).catch((error: unknown) => error)) })));
    expect(outcomes.filter(({ code }) => code !== 'address_forbidden' && code !== 'invalid_url')).toEqual([]);
    await guarded.close();
  });

  it('is refused as the receiver of a webhook too', async () => {
    const guarded = egress();
    expect(FORBIDDEN_RECEIVERS).toHaveLength(17);
    const outcomes = await Promise.all(FORBIDDEN_RECEIVERS.map(async (url) => ({ url, code: codeOf(await guarded.exchange(url, POST).catch((error: unknown) => error)) })));
    expect(outcomes.filter(({ code }) => code !== 'address_forbidden')).toEqual([]);
    await guarded.close();
  });
});

/** A network of its own, in which this process's addresses are all addresses that there are. Linux; without root by a user namespace. */
const OWN_NETWORK = ['--user', '--map-root-user', '--net', 'sh', '-ec', 'ip link set lo up; ip route add local 0.0.0.0/0 dev lo; ip -6 route add local ::/0 dev lo; ip addr add 11.22.33.44/32 dev lo; exec "$@"', 'sh'];
const canHaveNetwork = () => spawnSync('unshare', [...OWN_NETWORK, 'true']).status === 0;
/** There, as in CI, a network that cannot be made is a failure. */
const isRootOnLinux = process.platform === 'linux' && process.getuid?.() === 0;

describe('in a network where every address answers', () => {
  // Elsewhere than on Linux the tests above have to do.
  (isRootOnLinux || canHaveNetwork() ? it : it.skip)('no forbidden target is reached, though each is with the guard open', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parlance-egress-'));
    const probe = join(folder, 'probe.mjs');
    await build({
      entryPoints: [fileURLToPath(new URL('./forbidden-targets-probe.fixture.ts', import.meta.url))],
      outfile: probe, bundle: true, format: 'esm', platform: 'node', conditions: ['@parlance/source'], logLevel: 'error',
      banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    }).finally(stop);
    const { stdout, stderr } = spawnSync('unshare', [...OWN_NETWORK, process.execPath, probe], { encoding: 'utf8' });
    await rm(folder, { recursive: true });
    const { guarded, open, unreached, own } = JSON.parse(stdout || `{"guarded": ${JSON.stringify(stderr)}}`) as Record<string, unknown>;
    expect(guarded).toEqual({ tried: expect.any(Number), connections: 0, reached: [] });
    expect((guarded as { tried: number }).tried).toBeGreaterThanOrEqual(187);
    // The canaries work: they are reached as soon as the guard lets everything through, but for what no socket can connect to.
    expect((open as { connections: number }).connections).toBeGreaterThan(100);
    expect(unreached).toEqual(expect.arrayContaining(['http://224.0.0.1/', 'http://255.255.255.255/']));
    expect(own).toEqual({ refused: ['address_forbidden', 'address_forbidden'], allowed: 200 });
  });
});
