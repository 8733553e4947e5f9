import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { describeKeyProviderContract } from '../../../contract/index.js';
import { newKey } from '../../aead.js';
import { openKeyProvider } from '../open-key-provider.js';

describeKeyProviderContract('LocalKeyProvider', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parlance-keys-'));
  const path = join(folder, 'master-keys');
  const connect = () => openKeyProvider(`local:${path}`, { create: true });
  return {
    provider: await connect(),
    connect,
    other: () => openKeyProvider(`local:${join(folder, 'other')}`, { create: true }),
    dispose: () => rm(folder, { recursive: true }),
  };
});

describe('the key file', () => {
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-keys-'));
    path = join(folder, 'new', 'master-keys');
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('is made for its owner alone, once however many processes start', async () => {
    const providers = await Promise.all(Array.from({ length: 8 }, () => openKeyProvider(`local:${path}`, { create: true })));
    const wrapped = await Promise.all(providers.map((provider) => provider.wrap(newKey(), 'c')));
    for (const each of wrapped) await expect(providers[0]?.unwrap(each, 'c')).resolves.toHaveLength(32);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(folder, 'new'))).toEqual(['master-keys']);
  });

  it('gets a version more, and keeps what it has', async () => {
    const provider = await openKeyProvider(`local:${path}`, { create: true });
    const before = await readFile(path, 'utf8');
    await provider.rotate();
    expect(await readFile(path, 'utf8')).toMatch(/^2 [A-Za-z0-9+/]{43}=$/m);
    expect((await readFile(path, 'utf8')).startsWith(before)).toBe(true);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await writeFile(`${path}.lock`, '');
    await expect(provider.rotate()).rejects.toThrow(/another process adds a key/);
    await rm(`${path}.lock`);
    expect(await readdir(join(folder, 'new'))).toEqual(['master-keys']);
  });

  it('is not made where it should be', async () => {
    await expect(openKeyProvider(`local:${path}`)).rejects.toThrow(/KEY_PROVIDER: the key file .* is missing/);
    await expect(readdir(join(folder, 'new'))).rejects.toThrow('ENOENT');
  });

  it.each(['', '# nothing\n', 'secret\n', '1 short\n', `0 ${'A'.repeat(43)}=\n`, `1 ${'A'.repeat(43)}=\n1 ${'B'.repeat(43)}=\n`])('cannot be %j, and is left as it is', async (content) => {
    const other = join(folder, 'other');
    await writeFile(other, content);
    await expect(openKeyProvider(`local:${other}`, { create: true })).rejects.toThrow(/is not a key file/);
    expect(await readFile(other, 'utf8')).toBe(content);
  });

  it.each(['', 'local:', 'vault:x', '/etc/keys', 'aws-kms'])('is named by a setting that is not %j', async (setting) => {
    await expect(openKeyProvider(setting)).rejects.toThrow(/KEY_PROVIDER: no provider/);
  });
});
