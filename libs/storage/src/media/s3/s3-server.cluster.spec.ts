import { randomBytes } from 'node:crypto';
import { CreateBucketCommand, DeleteBucketCommand, HeadObjectCommand, ListObjectVersionsCommand, PutBucketVersioningCommand } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@parlance/event-bus/contract';
import { OwnServer } from '../../../test/own-server.js';
import { S3Playground } from '../../../test/s3-playground.js';
import { TcpProxy } from '../../../test/tcp-proxy.js';
import { body } from '../../contract/media/media-fixture.js';
import type { MediaStore } from '../media-store.js';
import { openMediaStore } from '../open-media-store.js';

const MIB = 1024 * 1024;
const KMS_KEY = `test-key:${Buffer.alloc(32, 7).toString('base64')}`;

const unavailable = (message: RegExp) => expect.objectContaining({ kind: 'unavailable', code: 'media_store_unavailable', message: expect.stringMatching(message) });

async function bytesOf(store: MediaStore, key: string, range?: { start?: number; end?: number }): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of await store.get(key, range)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe('S3MediaStore on a server of its own', () => {
  let server: OwnServer;
  let endpoint: string;
  let proxy: TcpProxy;
  let playground: S3Playground;
  let store: MediaStore;

  beforeAll(async () => {
    server = await OwnServer.create('s3', { MINIO_KMS_SECRET_KEY: KMS_KEY });
    endpoint = (await server.start())['S3_ENDPOINT'] ?? '';
  });
  afterAll(() => server.dispose());
  beforeEach(async () => {
    proxy = await new TcpProxy({ host: '127.0.0.1', port: server.port }).start();
    playground = new S3Playground({ endpoint });
    store = playground.connect();
  });
  afterEach(async () => {
    await proxy.stop();
    await playground.dispose();
  });

  const throughProxy = () => openMediaStore(playground.url.replace(encodeURIComponent(endpoint), encodeURIComponent(`http://127.0.0.1:${proxy.port}`)));

  /** Chunks of 64 KiB, counted as they are taken. */
  const large = (size: number) => {
    const bytes = randomBytes(size);
    const taken = { bytes: 0 };
    const chunks = async function* () {
      for (let at = 0; at < size; at += 65_536) {
        taken.bytes = Math.min(size, at + 65_536);
        yield bytes.subarray(at, at + 65_536);
      }
    };
    return { bytes, taken, chunks };
  };

  describe('a body of many parts', () => {
    it('comes back whole, and in part', async () => {
      const { bytes, chunks } = large(20 * MIB + 1);
      expect(await store.put('acc/job/source', chunks())).toMatchObject({ sizeBytes: bytes.length });
      expect((await bytesOf(store, 'acc/job/source')).equals(bytes)).toBe(true);
      expect((await bytesOf(store, 'acc/job/source', { start: 9 * MIB, end: 17 * MIB })).equals(bytes.subarray(9 * MIB, 17 * MIB))).toBe(true);
      expect(await playground.countUnfinished()).toBe(0);
    });

    it('may end with a part', async () => {
      const { bytes, chunks } = large(16 * MIB);
      await store.put('acc/job/source', chunks());
      expect((await store.head('acc/job/source'))?.sizeBytes).toBe(bytes.length);
    });

    it('is read no further than the server takes it', async () => {
      const behind = await throughProxy();
      const { taken, chunks } = large(80 * MIB);
      await behind.check();
      const controller = new AbortController();
      // From the first part on: the server has begun by then.
      const stalled = async function* () {
        for await (const chunk of chunks()) {
          if (taken.bytes >= 8 * MIB) proxy.stall();
          yield chunk;
        }
      };
      const putting = expect(behind.put('acc/job/source', stalled(), { signal: controller.signal })).rejects.toThrow();
      await eventually(() => taken.bytes >= 8 * MIB, 'the first part');
      let before = -1;
      await eventually(() => {
        const stands = before === taken.bytes;
        before = taken.bytes;
        return stands;
      }, 'the body to wait');
      expect(taken.bytes).toBeLessThanOrEqual(32 * MIB);
      controller.abort(new Error('enough'));
      proxy.cut();
      await putting;
    });

    it('leaves nothing when it breaks', async () => {
      const broken = async function* () {
        yield* large(20 * MIB).chunks();
        throw new TypeError('connection reset');
      };
      await expect(store.put('acc/job/source', broken())).rejects.toThrow(new TypeError('connection reset'));
      await expect(store.put('acc/job/source', large(20 * MIB).chunks(), { maxBytes: 18 * MIB })).rejects.toMatchObject({ code: 'too_large' });
      expect(await playground.countUnfinished()).toBe(0);
      expect(await store.head('acc/job/source')).toBeUndefined();
    });

    it('fails as canceled when another process removes its prefix', async () => {
      const gate = Promise.withResolvers<void>();
      const slow = async function* () {
        yield* large(20 * MIB).chunks();
        await gate.promise;
        yield* body('more');
      };
      const putting = expect(store.put('acc/job/source', slow())).rejects.toMatchObject({ kind: 'canceled' });
      await eventually(async () => (await playground.countUnfinished()) === 1, 'its first part');
      await playground.connect().removePrefix('acc/job/');
      expect(await playground.countUnfinished()).toBe(0);
      gate.resolve();
      await putting;
      expect(await store.head('acc/job/source')).toBeUndefined();
    });
  });

  it('reads on after a lost connection', async () => {
    const { bytes, chunks } = large(12 * MIB);
    await store.put('acc/job/source', chunks());
    const behind = await throughProxy();
    let cuts = 0;
    const read: Uint8Array[] = [];
    for await (const chunk of await behind.get('acc/job/source', { start: 5 })) {
      read.push(chunk);
      if (read.length % 40 === 5 && cuts < 3) {
        cuts += 1;
        proxy.cut();
      }
    }
    expect(cuts).toBe(3);
    expect(Buffer.concat(read).equals(bytes.subarray(5))).toBe(true);
  });

  it('does not go on with another object', async () => {
    const { chunks } = large(12 * MIB);
    await store.put('acc/job/source', chunks());
    const behind = await throughProxy();
    const reading = (async () => {
      let first = true;
      for await (const _ of await behind.get('acc/job/source')) {
        if (!first) continue;
        first = false;
        await proxy.stop();
        await store.put('acc/job/source', large(12 * MIB).chunks());
        await proxy.start();
      }
    })();
    await expect(reading).rejects.toMatchObject({ name: 'PreconditionFailed' });
  });

  it('removes more than one request may', async () => {
    const keys = Array.from({ length: 1030 }, (_, index) => `acc/job/audio/${String(index).padStart(6, '0')}.pcm`);
    for (let at = 0; at < keys.length; at += 50) await Promise.all(keys.slice(at, at + 50).map((key) => store.put(key, body('x'))));
    const listed: string[] = [];
    for await (const { key } of store.list('acc/job/')) listed.push(key);
    expect(listed).toEqual(keys);
    expect(await store.removePrefix('acc/')).toBe(keys.length);
    expect(await store.removePrefix('acc/')).toBe(0);
  });

  it.each(['AES256', 'aws:kms&kmsKeyId=test-key'])('lets the server encrypt with %s', async (sse) => {
    const encrypted = await openMediaStore(`${playground.url}&sse=${sse}`);
    const { bytes, chunks } = large(9 * MIB);
    await encrypted.put('acc/large', chunks());
    await encrypted.put('acc/small', body('x'));
    for (const key of ['acc/large', 'acc/small']) {
      const { client, bucket, prefix } = playground.bucket;
      expect((await client.send(new HeadObjectCommand({ Bucket: bucket, Key: prefix + key }))).ServerSideEncryption).toBe(sse.split('&')[0]);
    }
    expect((await bytesOf(encrypted, 'acc/large')).equals(bytes)).toBe(true);
  });

  it('removes every version where the bucket keeps them', async () => {
    const { client } = playground.bucket;
    const Bucket = `versions-${randomBytes(4).toString('hex')}`;
    await client.send(new CreateBucketCommand({ Bucket }));
    await client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: 'Enabled' } }));
    const versioned = new S3Playground({ endpoint, bucket: Bucket });
    const kept = versioned.connect();
    for (const text of ['old', 'new']) for (const key of ['acc/job/a', 'acc/job/b', 'acc/job/b.x']) await kept.put(key, body(text));
    expect(await kept.remove('acc/job/b')).toBe(true);
    expect(await kept.head('acc/job/b.x')).toBeDefined();
    expect(await kept.removePrefix('acc/job/')).toBe(2);
    const { Versions = [], DeleteMarkers = [] } = await client.send(new ListObjectVersionsCommand({ Bucket }));
    expect([Versions, DeleteMarkers]).toEqual([[], []]);
    await client.send(new DeleteBucketCommand({ Bucket }));
  });

  it('says when there is no such bucket', async () => {
    const missing = new S3Playground({ endpoint, bucket: 'nowhere' }).connect();
    await expect(missing.check()).rejects.toEqual(unavailable(/no bucket nowhere/));
    await expect(missing.put('acc/a', body('x'))).rejects.toEqual(unavailable(/bucket of the media store does not exist/));
    await expect(missing.removePrefix('acc/')).rejects.toEqual(unavailable(/bucket of the media store does not exist/));
  });

  it('says when the credentials are wrong', async () => {
    process.env['AWS_SECRET_ACCESS_KEY'] = 'wrong-secret';
    const refused = playground.connect();
    try {
      await expect(refused.check()).rejects.toEqual(unavailable(/refused the credentials/));
      await expect(refused.put('acc/a', body('x'))).rejects.toEqual(unavailable(/refused the credentials/));
    } finally {
      process.env['AWS_SECRET_ACCESS_KEY'] = process.env['S3_SECRET_ACCESS_KEY'];
    }
  });

  it('fails as unavailable while the server is away, and works when it is back', async () => {
    const behind = await throughProxy();
    await proxy.stop();
    await expect(behind.check()).rejects.toEqual(unavailable(/is unavailable/));
    await expect(behind.put('acc/a', body('x'))).rejects.toEqual(unavailable(/is unavailable/));
    await proxy.start();
    await behind.check();
    await behind.put('acc/a', body('x'));
  });

  it('says that the server takes connections and does not answer', async () => {
    const behind = await throughProxy();
    proxy.stall();
    await expect(behind.check()).rejects.toEqual(unavailable(/has not answered for 3 s/));
  });

  it('has every object that was put before the server was killed', async () => {
    const sizes = new Map<string, number>();
    const stopping = new AbortController();
    const putting = (async () => {
      for (let index = 0; !stopping.signal.aborted; index += 1) {
        const { sizeBytes } = await store.put(`acc/${index}`, large(100_000 + index).chunks()).catch(() => ({ sizeBytes: 0 }));
        if (sizeBytes > 0) sizes.set(`acc/${index}`, sizeBytes);
      }
    })();
    try {
      for (let life = 1; life <= 2; life += 1) {
        const before = sizes.size;
        await eventually(() => sizes.size > before + 10, 'objects');
        await server.kill();
        await server.start();
      }
    } finally {
      stopping.abort();
      await putting;
    }
    for (const [key, size] of sizes) expect((await bytesOf(store, key)).length).toBe(size);
  });
});
