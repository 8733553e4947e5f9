import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { mediaKeys } from '@parlance/contracts';
import { openMediaStore, readObject, type MediaStore } from '@parlance/storage';
import { eventually } from '@parlance/testing';
import { LiveClient } from '@parlance/testing/live-client';
import { GatewayHarness } from '../../../test/gateway-harness.js';
import { LiveReplica } from '../../../test/live-replica.js';
import { tone } from '../../../test/stand-in-live.js';

interface Created {
  id: string;
  url: string;
  token: string;
}

const RAW = { audio: { encoding: 'pcm_s16le', sample_rate: 16_000 } };
const FREE_SECONDS = 6;

async function* one(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

describe('the socket of a live session keeps its limits', () => {
  const opened = new AsyncDisposableStack();
  let gateway: GatewayHarness;
  let replica: LiveReplica;
  let media: MediaStore;
  beforeAll(async () => {
    gateway = opened.use(await GatewayHarness.start({ LIVE_SESSIONS_PER_ACCOUNT: '1000' }));
    replica = opened.use(await LiveReplica.beside(gateway));
    media = await openMediaStore(`file:${join(gateway.process.dataFolder, 'media')}`);
  });
  afterEach(() => void jest.restoreAllMocks());
  afterAll(() => opened.disposeAsync());

  const create = async (as = gateway) => (await as.call<Created>('POST', '/live', { json: RAW })).body;
  const resume = async (session: Created, after = 0, as = gateway) => {
    const { token } = (await as.call<Created>('POST', `/live/${session.id}/tokens`)).body;
    return LiveClient.open(`${session.url}?after=${after}`, ['parlance.v1', `token.${token}`]);
  };
  const audioOf = async (id: string) => {
    const finished = gateway.services.live.finished.find(({ jobId }) => jobId === id);
    return Buffer.concat(await Promise.all((finished?.pieces ?? []).map((key) => readObject(media, key))));
  };
  const several = async (count: number, as: GatewayHarness) => {
    const sessions: Created[] = [];
    for (let session = 0; session < count; session += 1) sessions.push(await create(as));
    return sessions;
  };
  /** Clients that send twenty seconds each, faster than speech. */
  const flood = async (sessions: readonly Created[]) => {
    const clients = sessions.map(({ url, token }) => LiveClient.open(`${url}?after=0`, ['parlance.v1', `token.${token}`]));
    for (const client of clients) (await client.opened()).send(tone(0, 20));
    return clients;
  };
  const acknowledgedMs = (clients: readonly LiveClient[]) => clients.reduce((sum, client) => sum + (client.of('ack').at(-1)?.audio_ms ?? 0), 0);
  const connections = async () => Number(/^parlance_live_sessions_open (\d+)/m.exec(await (await gateway.fetch('/metrics')).text())?.[1]);
  /** Audio that was acknowledged, and that no recognition has read. */
  const storeUnrecognized = async ({ id }: Created, audio: Buffer) => {
    const { generation, accountId } = await replica.sessions.takeOver(id);
    await media.put(mediaKeys(accountId, id).livePiece(0, generation), one(audio));
    await replica.sessions.commit(id, generation, { acknowledged: audio.byteLength, audioMs: audio.byteLength / 32 });
  };

  it('of length: it is finished with all of its audio', async () => {
    const session = await create();
    await replica.limit(session.id, { maxSessionMs: 2000 });
    const client = await LiveClient.connect(session.url, session.token);
    const audio = Buffer.concat([tone(1, 1), tone(0, 0.6), tone(2, 1)]);
    client.send(audio, 32_000);
    expect(await client.closed).toMatchObject({ code: 4413, reason: 'live_too_long' });
    expect(client.of('error')).toMatchObject([{ code: 'live_too_long', retryable: false }]);
    expect(client.of('final').map(({ text }) => text)).toEqual(['w1', 'w2']);
    expect(client.of('finished')).toMatchObject([{ audio_ms: 2600 }]);
  });

  it('of time: what was stored is recognized, also when the time passes while a client reads what it missed', async () => {
    const session = await create();
    await storeUnrecognized(session, tone(3, 1));
    for (let seq = 1; seq <= 150; seq += 1) await replica.events.append({ id: session.id, accountId: 'acc_1', generation: 1 }, { type: 'final', seq, utterance: seq, id: `utt_${seq}`, start: 0, end: 0, text: 'x'.repeat(100_000), words: [], endpoint: 'silence' });
    const client = await (await resume(session)).opened();
    client.socket.pause();
    await replica.limit(session.id, { maxSessionMs: 1 });
    await pause(2500);
    client.socket.resume();
    expect(await client.closed).toMatchObject({ code: 4413 });
    expect(client.of('final').at(-1)).toMatchObject({ text: 'w3' });
    expect(client.of('finished')).toHaveLength(1);
  });

  it('of unread messages: a client that does not read is sent away', async () => {
    const before = await connections();
    const session = await create();
    const client = await LiveClient.connect(session.url, session.token);
    expect(await connections()).toBe(before + 1);
    client.socket.pause();
    gateway.services.live.warning = 'x'.repeat(1_000_000);
    client.send(tone(1, 0.4));
    // The server waits two seconds for an answer to its close.
    await eventually('the session to be without connection', async () => (await connections()) === before, undefined, 20);
    gateway.services.live.warning = '';
    client.socket.resume();
    expect(await client.closed).toMatchObject({ code: 1013, reason: 'live_client_slow' });
    expect(client.of('error')).toMatchObject([{ retryable: true }]);
  });

  it('of wrong tokens, for known and unknown sessions alike: they keep out no right one of the same address', async () => {
    await using as = await GatewayHarness.start({ WRONG_KEYS_PER_MINUTE: '6' });
    const session = await create(as);
    const wrong = async (url: string) => (await LiveClient.open(url, ['parlance.v1', 'token.plv_wrong']).closed).code;
    const codesOf = async (url: string, count: number) => {
      const codes: number[] = [];
      for (let tries = 0; tries < count; tries += 1) codes.push(await wrong(url));
      return codes;
    };
    expect(await codesOf(session.url.replace(session.id, 'job_none'), 3)).toEqual([4401, 4401, 4401]);
    expect(await codesOf(session.url, 4)).toEqual([4401, 4401, 4401, 4429]);
    expect(await wrong(session.url.replace(session.id, 'job_none'))).toBe(4429);
    const client = await LiveClient.connect(session.url, session.token);
    client.drop();
  });

  it('of free time: all open sessions of the account together take no second more', async () => {
    await using as = await GatewayHarness.start({ PLANS: JSON.stringify({ tiny: { free_minutes: FREE_SECONDS / 60 } }), DEFAULT_PLAN: 'tiny' });
    const sessions = await several(4, as);
    const clients = await flood(sessions);
    for (const client of clients) expect(await client.closed).toMatchObject({ code: 4429, reason: 'quota_exhausted' });
    expect(acknowledgedMs(clients)).toBeLessThanOrEqual(FREE_SECONDS * 1000);
    expect(acknowledgedMs(clients)).toBeGreaterThan(0);
    for (const session of sessions) {
      const again = await (await resume(session, 0, as)).opened();
      again.send(tone(0, 20));
      expect(await again.closed).toMatchObject({ code: 4429, reason: 'quota_exhausted' });
    }
  });

  it('of the budget of the key that opened it, which other keys do not have', async () => {
    const { body } = await gateway.call<{ api_key: string }>('POST', '/keys', { json: { name: 'page', scopes: ['transcriptions:write'], monthly_seconds: FREE_SECONDS } });
    const clients = await flood(await several(3, gateway.as(body.api_key)));
    for (const client of clients) expect(await client.closed).toMatchObject({ code: 4429, reason: 'key_budget_exhausted' });
    expect(acknowledgedMs(clients)).toBeLessThanOrEqual(FREE_SECONDS * 1000);
    const [other] = await flood(await several(1, gateway));
    await other?.next('ack', ({ audio_ms: ms }) => ms > FREE_SECONDS * 1000);
    other?.drop();
  });

  it('of storage: the audio of open sessions is stored by the account, up to its last byte', async () => {
    const limit = 1_000_000;
    await using as = await GatewayHarness.start({ STORAGE_BYTES_PER_ACCOUNT: String(limit) });
    const clients = await flood(await several(3, as));
    for (const client of clients) expect(await client.closed).toMatchObject({ code: 4429, reason: 'storage_quota_exhausted' });
    const stored = clients.reduce((sum, client) => sum + (client.of('ack').at(-1)?.offset ?? 0), 0);
    expect(stored).toBeLessThanOrEqual(limit);
    const { storage_bytes_used: used } = (await as.call<{ storage_bytes_used: number }>('GET', '/account')).body;
    expect(used).toBeGreaterThanOrEqual(stored);
    expect(await as.call('POST', '/transcriptions', { json: { audio_url: 'https://example.org/a.mp3' } })).toMatchObject({ status: used < limit ? 202 : 402 });
  });

  it('of bytes: a session is no larger than a recording may be, and is finished with what it has', async () => {
    await using as = await GatewayHarness.start({ MEDIA_MAX_BYTES: '100000' });
    const session = (await several(1, as))[0] as Created;
    const client = await LiveClient.connect(session.url, session.token);
    client.send(tone(1, 4), 32_000);
    expect(await client.closed).toMatchObject({ code: 4413, reason: 'media_too_large' });
    expect(client.of('finished')).toMatchObject([{ audio_ms: 3000 }]);
  });

  it('of the disk: nothing acknowledged is lost, and the session continues once there is room', async () => {
    const session = await create();
    const client = await LiveClient.connect(session.url, session.token);
    const audio = Buffer.concat([tone(1, 1), tone(0, 1), tone(2, 1)]);
    client.send(audio.subarray(0, 32_000), 32_000);
    await client.next('ack');
    const full = jest.spyOn(Object.getPrototypeOf(media) as MediaStore, 'put').mockRejectedValue(Object.assign(new Error('no space left on device, write'), { code: 'ENOSPC', syscall: 'write' }));
    client.send(audio.subarray(32_000), 32_000);
    expect(await client.closed).toMatchObject({ code: 1013, reason: 'storage_full' });
    expect(client.of('error')).toMatchObject([{ code: 'storage_full', retryable: true }]);
    expect(full).toHaveBeenCalled();
    full.mockRestore();
    const second = await resume(session, client.of('final').length);
    const { acknowledged_offset: offset } = await second.next('ready');
    expect(offset).toBe(client.of('ack').at(-1)?.offset);
    second.send(audio.subarray(offset));
    second.say({ type: 'finish' });
    await second.next('finished');
    expect(await audioOf(session.id)).toEqual(audio);
  });

  it('of commands: ten thousand in a second are refused, but not ten thousand frames of audio', async () => {
    const session = await create();
    const client = await LiveClient.connect(session.url, session.token);
    const audio = tone(1, 2);
    client.send(audio.subarray(0, 20_000), 2);
    await client.next('ack', ({ offset }) => offset === 20_000);
    for (let count = 0; count < 10_000; count += 1) client.say({ type: 'keepalive' });
    expect(await client.closed).toMatchObject({ code: 4429, reason: 'rate_limited' });
    expect(client.of('error')).toMatchObject([{ retryable: true }]);
  });

  it('of frames: one byte at a time is taken, a megabyte at a time is not', async () => {
    const session = await create();
    const client = await LiveClient.connect(session.url, session.token);
    client.send(tone(1, 0.0625), 1);
    expect(await client.next('ack', ({ offset }) => offset === 2000)).toMatchObject({ audio_ms: 62 });
    client.socket.send(Buffer.alloc(1024 * 1024));
    expect(await client.closed).toMatchObject({ code: 4413, reason: 'live_frame_too_large' });
    expect(await replica.sessions.find(session.id)).toMatchObject({ acknowledged: 2000, status: 'open' });
  });

  it('of silence: a client that says nothing but keepalive stays', async () => {
    const session = await create();
    await replica.limit(session.id, { idleMs: 4000 });
    const client = await LiveClient.connect(session.url, session.token);
    // Together longer than the limit, and each far below it: a slow machine is not silence.
    for (let count = 0; count < 10; count += 1) {
      await pause(500);
      client.say({ type: 'keepalive' });
    }
    await client.next('ack', () => client.of('ack').length === 10);
    expect([client.socket.readyState, client.of('error')]).toEqual([client.socket.OPEN, []]);
    client.drop();
  });
});
