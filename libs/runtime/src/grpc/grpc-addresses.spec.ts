import { chmod, chown, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SERVICE_NAMES } from '../service-manifest.js';
import { grpcTarget, prepareSocket, socketFolder } from './grpc-addresses.js';

describe('the address of a service', () => {
  it('is a socket in the data folder unless configured', () => {
    expect(grpcTarget('ingest', {}, '/srv/data')).toBe('unix:/srv/data/run/ingest.sock');
    const config = { WEBHOOK_DISPATCHER_GRPC_URL: 'dns:///webhook-dispatcher:50051' };
    expect(grpcTarget('webhook-dispatcher', config, '/srv/data')).toBe('dns:///webhook-dispatcher:50051');
  });

  it('fits into a socket address, however deep the data folder lies, and differs between folders', () => {
    const deep = (name: string) => socketFolder(`/${'long-folder-name/'.repeat(10)}${name}`);
    for (const service of SERVICE_NAMES) expect(`${deep('a')}/${service}.sock`.length).toBeLessThanOrEqual(103);
    expect(deep('a')).not.toBe(deep('b'));
    expect(deep('a')).toBe(deep('a'));
  });
});

describe('the folder of sockets of a data folder with a long path', () => {
  let data: string;
  let folder: string;
  beforeEach(async () => {
    data = join(await mkdtemp(join(tmpdir(), 'parlance-addresses-')), 'long-folder-name/'.repeat(10));
    folder = socketFolder(data);
  });
  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
    await rm(join(tmpdir(), data.slice(tmpdir().length + 1).split('/')[0] ?? 'none'), { recursive: true });
  });

  const prepare = () => prepareSocket(grpcTarget('ingest', {}, data));

  it('is made for its owner alone, and may be there', async () => {
    await prepare();
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    await prepare();
  });

  it('is refused when others may look into it', async () => {
    await mkdir(folder);
    await chmod(folder, 0o755);
    await expect(prepare()).rejects.toThrow(/PARLANCE_DATA.*open to other users/s);
  });

  it('is refused when it is a link to somewhere, or nowhere', async () => {
    await mkdir(data, { recursive: true, mode: 0o700 });
    await symlink(data, folder);
    await expect(prepare()).rejects.toThrow(/symbolic link/);
    await rm(folder);
    await symlink(join(data, 'nowhere'), folder);
    await expect(prepare()).rejects.toThrow(/symbolic link/);
  });

  it('is refused when it is a file', async () => {
    await writeFile(folder, '', { mode: 0o600 });
    await expect(prepare()).rejects.toThrow(/is no folder/);
  });

  (process.getuid?.() === 0 ? it : it.skip)('is refused when it belongs to somebody else', async () => {
    await mkdir(folder, { mode: 0o700 });
    await chown(folder, 65_534, 65_534);
    await expect(prepare()).rejects.toThrow(/belongs to another user/);
  });
});
