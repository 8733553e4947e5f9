import { once } from 'node:events';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConfigError, createLogger, silentLogger } from '@parlance/platform';
import { canIsolateHere, SAMPLES } from '@parlance/testing';
import type { SandboxMode } from './isolation-level.js';
import { createMediaSandbox, INPUT, type MediaSandbox } from './sandbox.js';

const HOSTILE_TOOL = new URL('../../test/hostile-tool.pl', import.meta.url);

let folder: string;
const servers: Server[] = [];
const signal = new AbortController().signal;
const at = (...names: string[]) => join(folder, ...names);

const sandboxOf = (mode: SandboxMode, path = process.env['PATH'] ?? '', privatePaths: string[] = []): MediaSandbox =>
  createMediaSandbox({ scratchFolder: at('scratch'), privatePaths, log: silentLogger(), mode, path });

async function listen(target: { port: number; host: string } | { path: string }): Promise<Server> {
  const server = createServer((socket) => socket.destroy()).listen(target);
  await once(server, 'listening');
  servers.push(server);
  return server;
}

const portOf = (server: Server | undefined) => String((server?.address() as AddressInfo | undefined)?.port ?? 9);

async function textOf(stdout: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of stdout) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parlance-isolation-'));
  // Open to every user, so that only the isolation closes them.
  await chmod(folder, 0o755);
  for (const name of ['bin', 'scratch', 'data']) await mkdir(at(name));
  for (const name of ['key', 'database', 'media', 'victim', 'source']) await writeFile(at('data', name), 'secret', { mode: 0o644 });
  await copyFile(HOSTILE_TOOL, at('bin', 'ffmpeg'));
  await chmod(at('bin', 'ffmpeg'), 0o755);
});
afterAll(async () => {
  for (const server of servers) server.close();
  await rm(folder, { recursive: true, force: true });
});

/** A readable place in this process's memory. */
const ownAddress = async () => /^([0-9a-f]+)-[0-9a-f]+ r/m.exec(await readFile('/proc/self/maps', 'utf8'))?.[1] ?? '0';

/** What a hostile ffmpeg reached; its last line is `end` when it tried everything. */
async function reached(mode: SandboxMode, key = at('data', 'key')): Promise<string[]> {
  await writeFile(at('data', 'victim'), 'secret', { mode: 0o644 });
  const v4 = await listen({ port: 0, host: '127.0.0.1' });
  const v6 = await listen({ port: 0, host: '::1' }).catch(() => undefined);
  await rm(at('data', 'socket'), { force: true });
  await listen({ path: at('data', 'socket') });
  const facts = {
    machine: process.arch,
    parent: String(process.pid),
    address: await ownAddress(),
    port: portOf(v4),
    port6: portOf(v6),
    folder: at('data'),
    ...Object.fromEntries(['key', 'database', 'media', 'victim', 'socket'].map((name) => [name, at('data', name)])),
    key,
  };
  const sandbox = sandboxOf(mode, [at('bin'), process.env['PATH']].join(delimiter));
  const run = await sandbox.run('ffmpeg', Object.entries(facts).map(([name, value]) => `${name}=${value}`), { file: at('data', 'source'), signal });
  const lines = (await textOf(run.stdout)).trim().split('\n');
  await run.end;
  return lines;
}

// Where the kernel has no Landlock these skip by name, since nothing promises them there.
const isolated = canIsolateHere() ? it : it.skip;
const linux = process.platform === 'linux' ? it : it.skip;

describe('a hostile ffmpeg', () => {
  linux('reaches keys, databases, media, the parent, the network and processes without isolation', async () => {
    expect(await reached('limits')).toEqual(
      expect.arrayContaining([
        'read the API key file', 'read a database', "read another tenant's media", 'read the environment of the parent', 'read /etc/passwd',
        'connect over TCP v4', 'connect to a unix socket', 'signal the parent', 'remove a file', 'change the mode of a file', 'start a process', 'run a shell', 'end',
      ]),
    );
  });

  isolated('reaches nothing at all in isolation', async () => {
    expect(await reached('require')).toEqual(['end']);
    expect(await readFile(at('data', 'victim'), 'utf8')).toBe('secret');
  });
});

describe('data in a folder of the system', () => {
  isolated('is closed to a hostile ffmpeg in /usr, which programs do not need to read', async () => {
    if (process.getuid?.() !== 0) return;
    const data = await mkdtemp('/usr/parlance-isolation-');
    try {
      await chmod(data, 0o755);
      await writeFile(join(data, 'key'), 'secret', { mode: 0o644 });
      expect(await reached('require', join(data, 'key'))).toEqual(['end']);
    } finally {
      await rm(data, { recursive: true });
    }
  });

  linux('is refused where decoders read their libraries, also through a link', async () => {
    await symlink('/usr/lib', at('link'));
    for (const path of ['/usr/lib/parlance/data', at('link', 'data'), '/usr/local/lib']) {
      expect(() => sandboxOf('require', undefined, [path])).toThrow(`MEDIA_SANDBOX: isolation of ffmpeg is required. ${path} is in /`);
      expect(sandboxOf('auto', undefined, [path]).level).not.toBe('isolated');
    }
  });
});

describe('the real tools in isolation', () => {
  isolated('read their input and nothing else', async () => {
    const sandbox = sandboxOf('require');
    const probe = async (file: string) => {
      const run = await sandbox.run('ffprobe', ['-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0', `file:${file}`], { file: SAMPLES.reading.path, signal });
      return [await textOf(run.stdout), await run.end] as const;
    };
    expect((await probe(INPUT))[0]).toMatch(/^\d+\.\d+\n$/);
    expect(await probe(SAMPLES.meeting.path)).toEqual(['', { kind: 'exited', code: 1, stderr: expect.stringContaining('Permission denied') }]);
  });

  isolated('say nothing on standard error that they would not say without it', async () => {
    const run = await sandboxOf('require').run('ffmpeg', ['-nostdin', '-v', 'warning', '-i', `file:${INPUT}`, '-f', 'null', '-'], { file: SAMPLES.report.path, signal });
    await textOf(run.stdout);
    expect(await run.end).toEqual({ kind: 'exited', code: 0, stderr: '' });
  });
});

describe('MEDIA_SANDBOX', () => {
  isolated('isolates by default wherever the kernel can', () => {
    expect(sandboxOf('auto').level).toBe('isolated');
  });

  const withoutPerl = async () => {
    await mkdir(at('none'), { recursive: true });
    return at('none');
  };

  it('refuses to start in the mode `require` where there is no isolation', async () => {
    const path = await withoutPerl();
    expect(() => sandboxOf('require', path)).toThrow(ConfigError);
  });

  it('says in one warning which level holds where there is no isolation, and none where limits were asked for', async () => {
    const path = await withoutPerl();
    const lines: string[] = [];
    const log = createLogger({ level: 'warn', destination: { write: (line) => void lines.push(line) } });
    const sandbox = createMediaSandbox({ scratchFolder: at('scratch'), log, path });
    expect(lines.filter((line) => line.includes(`media sandbox: ${sandbox.level}`))).toHaveLength(1);
    lines.length = 0;
    createMediaSandbox({ scratchFolder: at('scratch'), log, path, mode: 'limits' });
    expect(lines.filter((line) => line.includes('media sandbox'))).toEqual([]);
  });

  linux('keeps files of the service from a process that root runs, even without perl', async () => {
    if (process.getuid?.() !== 0) return;
    expect(sandboxOf('auto', await withoutPerl()).level).toBe('other-user');
  });
});
