import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mediaKeys, parseLiveFinals, type ServerMessageOf } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import { openMediaStore, readObject, type MediaStore } from '@parlance/storage';
import { eventually } from '@parlance/testing';
import { GatewayHarness } from '../../../test/gateway-harness.js';
import { LiveClient } from '@parlance/testing/live-client';
import { LiveReplica } from '../../../test/live-replica.js';
import { MAGIC, tone } from '../../../test/stand-in-live.js';

interface Created {
  id: string;
  url: string;
  token: string;
}

const RAW = { audio: { encoding: 'pcm_s16le', sample_rate: 16_000 } };
const SPEECH = Buffer.concat([tone(0, 0.5), tone(1, 1), tone(2, 0.6), tone(0, 1), tone(3, 1.5), tone(0, 0.8), tone(4, 0.4)]);
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const textsOf = (finals: ServerMessageOf<'final'>[]) => finals.map(({ text }) => text);

describe('the socket of a live session', () => {
  const opened = new AsyncDisposableStack();
  let gateway: GatewayHarness;
  let replica: LiveReplica;
  let media: MediaStore;
  beforeAll(async () => {
    gateway = opened.use(await GatewayHarness.start({ LIVE_SESSIONS_PER_ACCOUNT: '1000', LIVE_RESUME_SECONDS: '5', LIVE_IDLE_SECONDS: '5', CORS_ORIGINS: 'https://app.example.org' }));
    replica = opened.use(await LiveReplica.beside(gateway));
    media = await openMediaStore(`file:${join(gateway.process.dataFolder, 'media')}`);
  });
  afterAll(() => opened.disposeAsync());

  const create = async (json: unknown = RAW, as = gateway) => (await as.call<Created>('POST', '/live', { json })).body;
  const newToken = async ({ id }: Created) => (await gateway.call<Created>('POST', `/live/${id}/tokens`)).body.token;
  const begin = async (json?: unknown) => {
    const session = await create(json);
    return { session, client: await LiveClient.connect(session.url, session.token) };
  };
  const resume = async (session: Created, after = 0) => LiveClient.connect(session.url, await newToken(session), after);
  const refusal = async (url: string, protocols: string[] = [], options = {}) => {
    const client = LiveClient.open(url, protocols, options);
    const { code } = await client.closed;
    return [code, client.of('error')[0]?.code];
  };
  /** The audio of the job, as the pieces make it. */
  const audioOf = async (id: string) => {
    const finished = gateway.services.live.finished.find(({ jobId }) => jobId === id);
    return Buffer.concat(await Promise.all((finished?.pieces ?? []).map((key) => readObject(media, key))));
  };

  it('takes a session from its first byte to its job', async () => {
    const { session, client } = await begin();
    expect(client.of('ready')[0]).toMatchObject({ session_id: session.id, generation: 1, acknowledged_offset: 0, last_seq: 0, engine: 'stand-in' });
    client.send(SPEECH);
    await client.next('ack', ({ audio_ms: ms }) => ms >= 1000);
    client.say({ type: 'finish' });
    const finished = await client.next('finished');
    expect(await client.closed).toEqual({ code: 1000, reason: 'finished' });
    expect(finished).toMatchObject({ transcription_id: session.id, audio_ms: 5800 });
    expect(textsOf(client.of('final'))).toEqual(['w1 w2', 'w3', 'w4']);
    expect(client.of('final').map(({ endpoint }) => endpoint)).toEqual(['silence', 'silence', 'end']);
    const lasting = client.messages.flatMap((message) => ('seq' in message ? [message.seq] : []));
    expect(lasting).toEqual(lasting.map((_, index) => index + 1));
    expect(client.of('partial').length).toBeGreaterThan(3);
    expect(sha256(await audioOf(session.id))).toBe(sha256(SPEECH));
    const { accountId } = gateway;
    const finals = parseLiveFinals(Buffer.from(await readObject(media, mediaKeys(accountId, session.id).liveFinals)).toString());
    expect(finals.finals.map(({ words }) => words.map(({ text }) => text).join(' '))).toEqual(['w1 w2', 'w3', 'w4']);
    expect(await replica.sessions.find(session.id)).toMatchObject({ status: 'ended', acknowledged: SPEECH.byteLength });
  });

  it('acknowledges the audio before each final', async () => {
    const { client } = await begin();
    client.send(SPEECH.subarray(0, 90_000));
    const { end } = await client.next('final');
    const before = client.messages.slice(0, client.messages.findIndex(({ type }) => type === 'final'));
    expect(before.filter((message) => message.type === 'ack').some((ack) => ack.type === 'ack' && ack.offset >= end * 32_000)).toBe(true);
    client.drop();
  });

  it.each([1, 333, 65_537, 524_288])('takes frames of %i bytes', async (frameBytes) => {
    const audio = frameBytes === 1 ? SPEECH.subarray(0, 40_000) : SPEECH;
    const { session, client } = await begin();
    client.send(audio, frameBytes);
    client.say({ type: 'finish' });
    await client.next('finished');
    expect(sha256(await audioOf(session.id))).toBe(sha256(audio));
  });

  it('resumes after a lost connection with what was missed, each once', async () => {
    const { session, client } = await begin();
    client.send(SPEECH.subarray(0, 100_001));
    const { seq } = await client.next('final');
    client.drop();
    await client.closed;
    const second = await resume(session, seq - 1);
    const { acknowledged_offset: offset, generation } = (await second.next('ready'));
    expect([generation, offset % 2]).toEqual([2, 0]);
    second.send(SPEECH.subarray(offset));
    second.say({ type: 'finish' });
    await second.next('finished');
    const seqs = second.messages.flatMap((message) => ('seq' in message ? [message.seq] : []));
    expect(seqs).toEqual(seqs.map((_, index) => seq + index));
    expect(textsOf(second.of('final'))).toEqual(['w1 w2', 'w3', 'w4']);
    expect(sha256(await audioOf(session.id))).toBe(sha256(SPEECH));
  });

  it('belongs to the newest connection', async () => {
    const { session, client } = await begin();
    client.send(SPEECH.subarray(0, 64_000));
    await client.next('ack');
    const tokens = [await newToken(session), await newToken(session)];
    const both = tokens.map((token) => LiveClient.open(session.url, ['parlance.v1', `token.${token}`]));
    expect(await client.closed).toMatchObject({ code: 4409 });
    expect(client.of('error')).toMatchObject([{ code: 'live_taken_over', retryable: false }]);
    const older = await Promise.race(both.map(async (each, index) => ((await each.closed), index)));
    expect(await both[older]?.closed).toMatchObject({ code: 4409 });
    const newer = both[1 - older]!;
    await newer.next('ready');
    newer.send(SPEECH.subarray(newer.of('ready')[0]!.acknowledged_offset));
    newer.say({ type: 'finish' });
    await newer.next('finished');
    expect(sha256(await audioOf(session.id))).toBe(sha256(SPEECH));
  });

  it('is left to a connection at another replica', async () => {
    const [quiet, { session, client }] = [await begin(), await begin()];
    for (const { id } of [quiet.session, session]) {
      // The session must not end by itself before its connection notices.
      await replica.limit(id, { resumeMs: 60_000 });
      await replica.sessions.takeOver(id);
    }
    client.send(SPEECH.subarray(0, 64_000));
    expect(await client.closed).toMatchObject({ code: 4409 });
    const closed = await Promise.race([quiet.client.closed, keepTalking(quiet.client)]);
    expect(closed).toMatchObject({ code: 4409 });
  });

  it('opens for a token once, for its session, and for a key of the account', async () => {
    const { session, client } = await begin();
    const token = `token.${session.token}`;
    expect(await refusal(session.url, ['parlance.v1', token])).toEqual([4401, 'live_token_invalid']);
    expect(await refusal(session.url, ['parlance.v1'])).toEqual([4401, 'live_token_invalid']);
    const other = await create();
    expect(await refusal(session.url, ['parlance.v1', `token.${other.token}`])).toEqual([4401, 'live_token_invalid']);
    expect(await refusal(`${session.url.replace(session.id, 'job_none')}?token=${other.token}`)).toEqual([4401, 'live_token_invalid']);
    const byKey = LiveClient.open(session.url, [], { headers: { authorization: `Bearer ${gateway.apiKey}` } });
    await byKey.next('ready');
    const stranger = await gateway.createAccount();
    expect(await refusal(session.url, [], { headers: { authorization: `Bearer ${stranger.apiKey}` } })).toEqual([4404, 'not_found']);
    const { apiKey } = await gateway.createKey(['transcriptions:read']);
    expect(await refusal(session.url, [], { headers: { authorization: `Bearer ${apiKey}` } })).toEqual([4403, 'insufficient_scope']);
    const byQuery = LiveClient.open(`${session.url}?token=${await newToken(session)}`);
    await byQuery.next('ready');
    byQuery.drop();
    expect(await client.closed).toMatchObject({ code: 4409 });
  });

  it('refuses an `after` that is no sequence, and leaves the token unused', async () => {
    const session = await create();
    const protocols = ['parlance.v1', `token.${session.token}`];
    for (const query of ['after=x', 'after=-1', 'after=1.5', 'after=', 'after=1&after=2']) expect(await refusal(`${session.url}?${query}`, protocols)).toEqual([4422, 'invalid_request']);
    const client = LiveClient.open(session.url, protocols);
    await client.next('ready');
    client.drop();
  });

  it('selects its protocol without the token', async () => {
    const session = await create();
    const client = await LiveClient.connect(session.url, session.token);
    expect(client.socket.protocol).toBe('parlance.v1');
    client.drop();
  });

  it('opens for pages of the server and of the allowed origins', async () => {
    const session = await create();
    const from = async (origin: string) => LiveClient.open(session.url, ['parlance.v1', `token.${await newToken(session)}`], { origin });
    for (const origin of ['https://app.example.org', gateway.url]) await (await from(origin)).next('ready');
    const refused = await from('https://evil.example.org');
    expect(await refused.closed).toMatchObject({ code: 4403 });
    expect(refused.of('error')).toMatchObject([{ code: 'live_origin_refused' }]);
  });

  it('ignores empty frames, and closes on what is no message', async () => {
    const bad = async (frame: string) => {
      const { client } = await begin();
      client.socket.send(Buffer.alloc(0));
      client.socket.send(frame);
      const { code } = await client.closed;
      return [code, client.of('error')[0]?.code];
    };
    for (const frame of ['', 'hello', '{', '[]', '{"type":"sing"}', '{"type":"skip"}', '{"type":"finish","now":true}']) expect([frame, ...(await bad(frame))]).toEqual([frame, 4400, 'live_message_invalid']);
  });

  it('closes on frames and messages beyond their limits', async () => {
    const large = await begin();
    large.client.socket.send(Buffer.alloc(524_289));
    expect(await large.client.closed).toMatchObject({ code: 4413, reason: 'live_frame_too_large' });
    const huge = await begin();
    huge.client.socket.send(Buffer.alloc(3_000_000));
    expect(await huge.client.closed).toMatchObject({ code: 4413, reason: 'live_frame_too_large' });
    const { client } = await begin();
    for (let count = 0; count < 10_000; count += 1) client.say({ type: 'keepalive' });
    expect(await client.closed).toMatchObject({ code: 4429, reason: 'rate_limited' });
  });

  it('answers keepalive, and closes when nothing comes', async () => {
    const session = await create();
    await replica.limit(session.id, { idleMs: 3000 });
    const client = await LiveClient.connect(session.url, session.token);
    client.say({ type: 'keepalive' });
    expect(await client.next('ack')).toMatchObject({ offset: 0, audio_ms: 0 });
    expect(await client.closed).toMatchObject({ code: 4408, reason: 'live_idle' });
    expect(client.of('error')).toMatchObject([{ code: 'live_idle', retryable: true }]);
    expect(await replica.sessions.find(session.id)).toMatchObject({ status: 'open' });
  });

  it('ends utterances by order, and counts what is skipped as silence', async () => {
    const { session, client } = await begin();
    client.send(tone(5, 1));
    client.say({ type: 'finalize' });
    expect(await client.next('final')).toMatchObject({ text: 'w5', endpoint: 'finalize' });
    client.say({ type: 'skip', ms: 2000 });
    client.send(tone(6, 1));
    client.say({ type: 'finish' });
    await client.next('finished');
    expect(client.of('gap')).toMatchObject([{ from_ms: 1000, to_ms: 3000, reason: 'skipped' }]);
    expect(client.of('final')[1]).toMatchObject({ text: 'w6', start: 3, end: 4 });
    expect(sha256(await audioOf(session.id))).toBe(sha256(Buffer.concat([tone(5, 1), tone(0, 2), tone(6, 1)])));
    expect(gateway.services.live.finished.find(({ jobId }) => jobId === session.id)?.gaps).toEqual([{ start: 1, end: 3, reason: 'skipped' }]);
  });

  it('does not skip in a container, or within a sample', async () => {
    const { client } = await begin({ audio: { container: 'auto' } });
    client.say({ type: 'skip', ms: 10 });
    expect(await client.closed).toMatchObject({ code: 4400 });
    const raw = await begin();
    raw.client.socket.send(Buffer.alloc(3));
    raw.client.say({ type: 'skip', ms: 10 });
    expect(await raw.client.closed).toMatchObject({ code: 4400 });
  });

  it('takes a container, also over two connections', async () => {
    const { session, client } = await begin({ audio: { container: 'auto' } });
    const container = Buffer.concat([MAGIC, SPEECH]);
    client.send(container.subarray(0, 90_001));
    await client.next('final');
    client.drop();
    await client.closed;
    const second = await resume(session);
    second.send(container.subarray(second.of('ready')[0]!.acknowledged_offset));
    second.say({ type: 'finish' });
    expect(await second.next('finished')).toMatchObject({ audio_ms: 5800 });
    expect(textsOf(second.of('final'))).toEqual(['w1 w2', 'w3', 'w4']);
    expect(sha256(await audioOf(session.id))).toBe(sha256(container));
  });

  it('closes when the container is none, and leaves the bytes to the job', async () => {
    const { session, client } = await begin({ audio: { container: 'auto' } });
    client.send(Buffer.alloc(100_000, 7));
    expect(await client.closed).toMatchObject({ code: 4415, reason: 'media_unsupported' });
    expect(await gateway.call('DELETE', `/live/${session.id}`)).toMatchObject({ status: 202 });
    await eventually('the session to end', async () => (await replica.sessions.find(session.id))?.status === 'ended');
    expect(gateway.services.live.finished.find(({ jobId }) => jobId === session.id)?.finalsKey).toBe('');
  });

  it('ends by itself when its client does not come back', async () => {
    const session = await create();
    await replica.limit(session.id, { resumeMs: 3000 });
    const client = await LiveClient.connect(session.url, session.token);
    client.send(SPEECH);
    await client.next('final', ({ text }) => text === 'w3');
    client.socket.close();
    await eventually('the session to end', async () => (await replica.sessions.find(session.id))?.status === 'ended');
    const events = [];
    for await (const { message } of replica.events.list(session.id)) events.push(message);
    expect(events.filter(({ type }) => type === 'final').map((message) => 'text' in message && message.text)).toEqual(['w1 w2', 'w3', 'w4']);
    expect(events.at(-1)?.type).toBe('finished');
    expect(await audioOf(session.id)).toEqual(SPEECH);
    expect(await refusal(session.url, [], { headers: { authorization: `Bearer ${gateway.apiKey}` } })).toEqual([4410, 'live_ended']);
  });

  it('continues after its worker was lost, with the same finals', async () => {
    const { client } = await begin();
    let windows = 0;
    gateway.services.live.beforeWindow = () => {
      windows += 1;
      if (windows % 97 === 0 && windows < 400) throw new AppError({ kind: 'unavailable', code: 'service_unavailable', message: 'The worker is gone.' });
    };
    client.send(SPEECH);
    client.say({ type: 'finish' });
    await client.next('finished');
    gateway.services.live.beforeWindow = () => {};
    expect(windows).toBeGreaterThan(400);
    expect(textsOf(client.of('final'))).toEqual(['w1 w2', 'w3', 'w4']);
    expect(client.of('speech_started').map(({ at }) => at)).toEqual([0.5, 3.1, 5.4]);
  });

  it('slows down a client that is faster than recognition', async () => {
    const { session, client } = await begin();
    const recognizing = Promise.withResolvers<void>();
    gateway.services.live.beforeWindow = () => recognizing.promise;
    const audio = Buffer.concat(Array.from({ length: 12 }, () => SPEECH));
    client.send(audio, 32_000);
    await client.next('ack', ({ offset }) => offset >= 900_000);
    expect((await replica.sessions.find(session.id))?.acknowledged).toBeLessThan(1_600_000);
    gateway.services.live.beforeWindow = () => {};
    recognizing.resolve();
    client.say({ type: 'finish' });
    await client.next('finished');
    expect(await audioOf(session.id)).toEqual(audio);
  });

  it('closes when the key is revoked', async () => {
    const { apiKey, keyId } = await gateway.createKey(['transcriptions:write', 'transcriptions:read']);
    const session = await create(RAW, gateway.as(apiKey));
    const client = await LiveClient.connect(session.url, session.token);
    await gateway.call('DELETE', `/keys/${keyId}`);
    const closed = await Promise.race([client.closed, keepTalking(client)]);
    expect(closed).toMatchObject({ code: 4401 });
  });

  it('closes when the key that connected is revoked, which need not be the one that created the session', async () => {
    const session = await create();
    const { apiKey, keyId } = await gateway.createKey(['transcriptions:write', 'transcriptions:read']);
    const client = LiveClient.open(session.url, [], { headers: { authorization: `Bearer ${apiKey}` } });
    await client.next('ready');
    await gateway.call('DELETE', `/keys/${keyId}`);
    expect(await Promise.race([client.closed, keepTalking(client)])).toMatchObject({ code: 4401 });
    expect(client.of('error')).toMatchObject([{ retryable: false }]);
    await (await resume(session)).next('ready');
  });

  it('continues by a key after the short-lived token that created it has ended', async () => {
    const { body } = await gateway.call<{ token_id: string; token: string }>('POST', '/tokens', { json: { scopes: ['transcriptions:read', 'transcriptions:write'] } });
    const session = await create(RAW, gateway.as(body.token));
    await gateway.call('DELETE', `/tokens/${body.token_id}`);
    expect(await refusal(session.url, ['parlance.v1', `token.${session.token}`])).toEqual([4401, 'unauthenticated']);
    await (await resume(session)).next('ready');
    await LiveClient.open(session.url, [], { headers: { authorization: `Bearer ${gateway.apiKey}` } }).next('ready');
  });

  it('does not touch other requests', async () => {
    const session = await create();
    const plain = await gateway.fetch(`/api/v1/live/${session.id}/socket`);
    expect([plain.status, ((await plain.json()) as { code: string }).code]).toEqual([426, 'live_upgrade_required']);
    const methods = await gateway.fetch(`/api/v1/live/${session.id}/socket`, { method: 'OPTIONS' });
    expect(methods.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
  });
});

/** Until the connection ends. */
async function keepTalking(client: LiveClient): Promise<never> {
  const timer = setInterval(() => client.socket.readyState === client.socket.OPEN && client.say({ type: 'keepalive' }), 1000);
  await client.closed;
  clearInterval(timer);
  return new Promise<never>(() => {});
}

describe('a gateway that stops', () => {
  it('sends clients elsewhere, and keeps what they sent', async () => {
    const gateway = await GatewayHarness.start();
    const { body } = await gateway.call<Created>('POST', '/live', { json: RAW });
    const client = await LiveClient.connect(body.url, body.token);
    client.send(SPEECH.subarray(0, 20_000));
    await client.next('partial');
    const stopped = gateway[Symbol.asyncDispose]();
    expect((await client.next('go_away')).reconnect_within_ms).toBeGreaterThan(0);
    expect(await client.closed).toMatchObject({ code: 1012 });
    expect(client.of('ack').at(-1)?.offset).toBe(20_000);
    await stopped;
  });
});
