import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createEgress, type Egress } from '@parlance/egress';
import { ModelServer } from '../../test/model-server.js';
import type { CatalogueModel } from './model-catalogue.js';
import { ModelStore } from './model-store.js';

const archive = (name: string) => readFileSync(fileURLToPath(new URL(`../../test/archives/${name}.tar.bz2`, import.meta.url)));
const MODEL = archive('model');
const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');

function modelOf(content: Buffer): CatalogueModel {
  const license = { name: 'MIT', url: 'https://license.example' };
  return {
    name: 'tiny',
    family: 'sense-voice',
    title: 'Tiny',
    languages: ['en'],
    license,
    source: 'asr-models/tiny.tar.bz2',
    bytes: content.length,
    sha256: sha256(content),
    files: ['model.int8.onnx', 'tokens.txt'],
  };
}

describe('ModelStore', () => {
  let folder: string;
  let server: ModelServer;
  let egress: Egress;
  let store: ModelStore;
  const model = modelOf(MODEL);
  const part = () => join(folder, '.partial', 'tiny.download');
  const ranges = () => server.requests.map(({ range }) => range);

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-models-'));
    server = await ModelServer.start(MODEL);
    egress = createEgress({ allow: ['127.0.0.0/8'] });
    store = new ModelStore({ folder, mirror: `${server.url}/mirror/`, egress, retryDelayMs: 1, onProgress: () => server.cut() });
  });
  afterEach(async () => {
    await egress.close();
    await server.close();
    await rm(folder, { recursive: true });
  });

  it('gets a model: downloaded, checked, its files unpacked with licence and record, and nothing else', async () => {
    expect(await store.installed('tiny')).toBeUndefined();
    const record = await store.get(model);
    expect(server.requests).toEqual([{ url: '/mirror/asr-models/tiny.tar.bz2', range: undefined }]);
    expect((await readdir(folder, { recursive: true })).toSorted()).toEqual(
      ['.partial', 'tiny', 'tiny/LICENSE', 'tiny/model.int8.onnx', 'tiny/parlance-model.json', 'tiny/tokens.txt'].toSorted(),
    );
    expect(await readFile(join(folder, 'tiny', 'tokens.txt'), 'utf8')).toBe('a 0\n');
    expect(await store.installed('tiny')).toEqual(record);
    expect(record).toMatchObject({ sha256: model.sha256, license: model.license, files: [{ path: 'LICENSE' }, { path: 'model.int8.onnx', bytes: 320_000 }, { path: 'tokens.txt' }] });
    expect(await store.verify(record)).toEqual([]);
  });

  it('gets a model that is a file by itself', async () => {
    const record = await store.get({ ...model, source: 'embeddings/voices.onnx', files: ['voices.onnx'] });
    expect(record.files).toEqual([{ path: 'voices.onnx', bytes: MODEL.length, sha256: model.sha256 }]);
  });

  it('goes on where a connection was cut, as often as it brings something', async () => {
    server.next.push({ cutAfter: 100 }, { cutAfter: 50 }, { cutAfter: 1 }, { status: 503 });
    await store.get(model);
    expect(ranges()).toEqual([undefined, 'bytes=100-', 'bytes=150-', 'bytes=151-', 'bytes=151-']);
  });

  it('goes on where an earlier run ended', async () => {
    await mkdir(join(folder, '.partial'));
    await writeFile(part(), MODEL.subarray(0, 60));
    await store.get(model);
    expect(ranges()).toEqual(['bytes=60-']);
  });

  it('begins anew with a server that gives no ranges, and where the beginning was of something else or too long', async () => {
    await mkdir(join(folder, '.partial'));
    await writeFile(part(), MODEL.subarray(0, 60));
    server.next.push({ ignoreRange: true });
    await store.get(model);
    await writeFile(part(), 'x'.repeat(60));
    await store.get(model);
    await writeFile(part(), 'x'.repeat(MODEL.length + 1));
    await store.get(model);
    expect(ranges()).toEqual(['bytes=60-', 'bytes=60-', undefined, undefined]);
    expect(await store.verify((await store.installed('tiny'))!)).toEqual([]);
  });

  it('throws away what has another checksum, and leaves the model that is there', async () => {
    const record = await store.get(model);
    server.content = Buffer.from(MODEL).fill(0, 100, 120);
    await expect(store.get(model)).rejects.toMatchObject({ code: 'model_unavailable', message: expect.stringContaining('the wrong checksum') });
    expect(existsSync(part())).toBe(false);
    expect(await store.verify(record)).toEqual([]);
  });

  it.each([
    [{ status: 404 }, 'status 404', 1],
    [{ extra: 5 }, 'sent more than', 1],
    [{ status: 302, headers: { location: 'ftp://elsewhere/' } }, 'did not send the whole file', 5],
  ])('gives up on %j in one line', async (behaviour, message, tries) => {
    server.next.push(...Array.from({ length: tries }, () => behaviour));
    await expect(store.get(model)).rejects.toMatchObject({ code: 'model_unavailable', message: expect.stringContaining(message) });
    expect(server.requests).toHaveLength(tries);
    expect(await store.installed('tiny')).toBeUndefined();
  });

  it('gives up on a server that is not there, and keeps what came before', async () => {
    server.next.push({ cutAfter: 100 }, ...Array.from({ length: 5 }, () => ({ status: 500 })));
    await expect(store.get(model)).rejects.toMatchObject({ message: expect.stringMatching(/100 of \d+ bytes so far/) });
    await store.get(model);
    expect(ranges().at(-1)).toBe('bytes=100-');
  });

  it('follows to where the file is', async () => {
    server.next.push({ status: 302, headers: { location: `${server.url}/store/tiny` } });
    await store.get(model);
    expect(server.requests.map(({ url }) => url)).toEqual(['/mirror/asr-models/tiny.tar.bz2', '/store/tiny']);
  });

  it('goes to no private address that a public mirror sends it to', async () => {
    const guarded = createEgress({ allow: [] });
    const outside = new ModelStore({ folder, mirror: server.url, egress: guarded, retryDelayMs: 1 });
    await expect(outside.get(model)).rejects.toMatchObject({ code: 'model_unavailable' });
    expect(server.requests).toEqual([]);
    await guarded.close();
  });

  it('lets nothing of an archive out of its folder, nor links in', async () => {
    server.content = archive('hostile');
    await expect(store.get(modelOf(server.content))).rejects.toMatchObject({ code: 'model_unavailable' });
    expect((await readdir(folder, { recursive: true })).toSorted()).toEqual(['.partial', '.partial/tiny.download']);
    expect(existsSync('/tmp/parlance-escaped.txt') || existsSync(join(folder, 'escaped.txt')) || existsSync(join(tmpdir(), 'escaped.txt'))).toBe(false);
  });

  it('says what an archive lacks, or that it is none', async () => {
    await expect(store.get({ ...model, files: [...model.files, 'joiner.onnx'] })).rejects.toMatchObject({ message: expect.stringContaining('joiner.onnx') });
    server.content = Buffer.from('<html>Sign in to the network</html>');
    await expect(store.get(modelOf(server.content))).rejects.toMatchObject({ message: expect.stringContaining('cannot be unpacked') });
    expect(await store.installed('tiny')).toBeUndefined();
  });

  it('says that the disk is full', async () => {
    await mkdir(join(folder, '.partial'));
    await symlink('/dev/full', part());
    await expect(store.get(model)).rejects.toMatchObject({ code: 'model_unavailable', message: expect.stringContaining('the disk is full') });
    await expect(store.get({ ...model, bytes: 1e18 })).rejects.toMatchObject({ message: expect.stringMatching(/tiny needs \d+ MB more/) });
  });

  it('finds files that are gone or changed', async () => {
    const record = await store.get(model);
    await rm(join(folder, 'tiny', 'tokens.txt'));
    await writeFile(join(folder, 'tiny', 'LICENSE'), 'Pay.\n');
    expect(await store.verify(record)).toEqual([
      { path: 'LICENSE', fault: 'damaged' },
      { path: 'tokens.txt', fault: 'missing' },
    ]);
    // Got again, it is whole.
    expect(await store.verify(await store.get(model))).toEqual([]);
  });
});
