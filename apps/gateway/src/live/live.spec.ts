import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { common, events } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import { eventually } from '@parlance/testing';
import { GatewayHarness, type Answer } from '../../test/gateway-harness.js';
import { LiveReplica } from '../../test/live-replica.js';
import type { LiveSessions } from './session/live-sessions.js';

interface Created {
  id: string;
  status: string;
  url: string;
  token: string;
  token_expires_at: string;
  code: string;
  errors?: { pointer: string; code: string }[];
}

const RAW = { audio: { encoding: 'pcm_s16le', sample_rate: 16_000 } };

describe('live sessions over HTTP', () => {
  const opened = new AsyncDisposableStack();
  let gateway: GatewayHarness;
  /** As another replica has them. */
  let replica: LiveReplica;
  let sessions: LiveSessions;
  beforeAll(async () => {
    gateway = opened.use(await GatewayHarness.start({ LIVE_SESSIONS_PER_ACCOUNT: '1000' }));
    replica = opened.use(await LiveReplica.beside(gateway));
    ({ sessions } = replica);
  });
  afterAll(() => opened.disposeAsync());

  const create = (json: unknown = RAW, headers: Record<string, string> = {}, as = gateway): Promise<Answer<Created>> => as.call('POST', '/live', { json, headers });
  const newSession = async (json?: unknown) => {
    const { status, body } = await create(json);
    expect([status, body.code]).toEqual([201, undefined]);
    return body;
  };
  const refusals = async (json: unknown) => {
    const { status, body } = await create(json);
    return [status, ...(body.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`)];
  };

  describe('are created', () => {
    it('with a job of theirs, a socket and a token for it', async () => {
      const { status, headers, body } = await create({ ...RAW, language: 'en', title: 'Standup', vocabulary: ['Parlance'], store_audio: false, final_pass: 'same' });
      expect(status).toBe(201);
      expect(headers.get('location')).toBe(`/api/v1/live/${body.id}`);
      expect(body).toMatchObject({
        id: expect.stringMatching(/^job_/),
        status: 'open',
        url: `${gateway.url.replace('http', 'ws')}/api/v1/live/${body.id}/socket`,
        token: expect.stringMatching(/^plv_[\w-]{43}$/),
        resume_within_ms: 60_000,
        limits: { max_frame_bytes: 524_288, idle_ms: 60_000, max_session_ms: 14_400_000 },
      });
      expect(gateway.services.created.at(-1)).toMatchObject({
        jobId: body.id,
        title: 'Standup',
        options: { language: 'en', vocabulary: ['Parlance'] },
        source: { $case: 'live', value: { audio: { encoding: common.LiveEncoding.LIVE_ENCODING_PCM_S16LE, sampleRate: 16_000, channels: 1 }, finalPass: common.LiveFinalPass.LIVE_FINAL_PASS_SAME, storeAudio: false } },
      });
      const { id } = (await sessions.redeem(body.id, body.token)).session;
      expect(id).toBe(body.id);
    });

    it('of a container by default', async () => {
      const { id } = await newSession({});
      expect(await sessions.find(id)).toMatchObject({ audio: { container: 'auto' }, partials: true, endpointing: { silenceMs: 500, maxUtteranceMs: 20_000 }, storeAudio: true, finalPass: 'none' });
      expect((await gateway.call('GET', `/live/${id}`)).body).toMatchObject({ id, status: 'open', audio: { container: 'auto' }, generation: 0, acknowledged_offset: 0, last_seq: 0 });
    });

    it('only with audio, bounds and options that they can have', async () => {
      expect(await refusals({ audio: { encoding: 'pcm_s16le' } })).toEqual([422, '/audio/sample_rate required']);
      expect(await refusals({ audio: { encoding: 'opus', sample_rate: 48_000 } })).toEqual([422, '/audio/encoding invalid_value']);
      expect(await refusals({ audio: { container: 'mp3' } })).toEqual([422, '/audio/container invalid_value']);
      expect(await refusals({ audio: { encoding: 'alaw', sample_rate: 7999, channels: 9 } })).toEqual([422, '/audio/sample_rate too_small', '/audio/channels too_large']);
      expect(await refusals({ endpointing: { silence_ms: 199, max_utterance_ms: 20_001 } })).toEqual([422, '/endpointing/silence_ms too_small', '/endpointing/max_utterance_ms too_large']);
      expect(await refusals({ channels: 'split' })).toEqual([422, '/channels not_supported']);
      expect(await refusals({ language: { expected: ['de', 'en'], min_confidence: 0.8 } })).toEqual([422, '/language not_supported']);
      expect(await refusals({ audio_url: 'https://example.org/a.mp3' })).toEqual([422, '/audio_url unknown_field']);
      expect((await create({ channels: 'split', final_pass: 'same' })).status).toBe(201);
    });

    it('only for a model and a language of the engines', async () => {
      expect(await refusals({ model: 'none' })).toEqual([422, '/model model_unknown']);
      // An engine for files alone.
      expect(await refusals({ model: 'english' })).toEqual([422, '/model model_unknown']);
      expect(await refusals({ language: 'fr' })).toEqual([422, '/language language_unsupported']);
    });

    it('by keys with the scope to create jobs', async () => {
      const { apiKey } = await gateway.createKey(['transcriptions:read']);
      expect(await create(RAW, {}, gateway.as(apiKey))).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } });
    });

    it('once under an Idempotency-Key, with another token for each call', async () => {
      const before = gateway.services.jobs.size;
      const [first, again] = [await create(RAW, { 'idempotency-key': 'live-1' }), await create(RAW, { 'idempotency-key': 'live-1' })];
      expect([again.status, again.body.id, again.headers.get('idempotency-replayed')]).toEqual([201, first.body.id, 'true']);
      expect(again.body.token).not.toBe(first.body.token);
      expect(gateway.services.jobs.size - before).toBe(1);
      expect(await create({ audio: { container: 'auto' } }, { 'idempotency-key': 'live-1' })).toMatchObject({ status: 422, body: { code: 'idempotency_mismatch' } });
    });

    it('not when their job is refused', async () => {
      const open = await sessions.countOpen(gateway.accountId);
      gateway.services.beforeCreate = () => Promise.reject(new AppError({ code: 'too_many_jobs', message: 'Full.' }));
      expect((await create()).status).toBe(429);
      gateway.services.beforeCreate = async () => {};
      expect(await sessions.countOpen(gateway.accountId)).toBe(open);
    });
  });

  describe('are within the plan', () => {
    it('however many are created at the same time', async () => {
      await using as = await GatewayHarness.start({ DEFAULT_PLAN: 'two', PLANS: '{"two":{"billing":"pay","limits":{"live_sessions":2}}}' });
      await using other = await LiveReplica.beside(as);
      const statuses = async (count: number) => (await Promise.all(Array.from({ length: count }, () => create(RAW, {}, as)))).map(({ status, body }) => (status === 201 ? body.id : body.code));
      const outcomes = await statuses(6);
      expect(await other.sessions.countOpen(as.accountId)).toBeLessThanOrEqual(2);
      expect(outcomes).toContain('too_many_live_sessions');
      for (const id of outcomes.filter((outcome) => outcome.startsWith('job_'))) await other.sessions.cancel(id);
      expect([(await create(RAW, {}, as)).status, (await create(RAW, {}, as)).status]).toEqual([201, 201]);
      const refused = await create(RAW, {}, as);
      expect([refused.status, refused.body.code, refused.headers.has('retry-after')]).toEqual([429, 'too_many_live_sessions', true]);
    });
  });

  describe('are jobs', () => {
    it('of their own kind, which lists tell apart', async () => {
      const { id } = await newSession({ audio: { encoding: 'mulaw', sample_rate: 8000 } });
      const file = await gateway.submit();
      const job = (await gateway.call('GET', `/transcriptions/${id}`)).body;
      expect(job).toMatchObject({ kind: 'live', status: 'processing', live: { open: true, audio: { encoding: 'mulaw', sample_rate: 8000, channels: 1 }, final_pass: 'none', store_audio: true } });
      expect((await gateway.call('GET', `/transcriptions/${file}`)).body).toMatchObject({ kind: 'file' });
      const listed = async (kind: string) => (await gateway.call<{ data: { job_id: string }[] }>('GET', `/transcriptions?kind=${kind}&limit=100`)).body.data.map((each) => each.job_id);
      expect([(await listed('live')).includes(id), (await listed('live')).includes(file), (await listed('file')).includes(file)]).toEqual([true, false, true]);
      expect((await gateway.call('GET', '/transcriptions?kind=other')).status).toBe(422);
    });

    it('and are canceled with them', async () => {
      const { id } = await newSession();
      await gateway.process.publish({ type: 'job.canceled', data: events.JobEvent.fromPartial({ jobId: id, accountId: gateway.accountId, occurredAt: new Date() }) });
      await eventually('the cancellation', async () => (await sessions.find(id))?.status === 'canceled');
      expect(await gateway.call('POST', `/live/${id}/tokens`)).toMatchObject({ status: 410, body: { code: 'live_ended' } });
    });

    it('and are erased with them', async () => {
      const { id } = await newSession();
      await replica.events.append({ id, accountId: 'acc_1', generation: 1 }, { type: 'speech_started', seq: 1, at: 0 });
      await gateway.process.publish({ type: 'job.deleted', data: events.JobEvent.fromPartial({ jobId: id, accountId: gateway.accountId, erasureId: 'era_live', occurredAt: new Date(0) }) });
      await eventually('the erasure', async () => (await sessions.find(id)) === undefined && (await replica.events.count(id)) === 0);
      expect((await gateway.call('GET', `/live/${id}`)).status).toBe(404);
    });
  });

  describe('give tokens', () => {
    it('for each connection', async () => {
      const { id, token } = await newSession();
      const { status, body } = await gateway.call<Created & { access: string }>('POST', `/live/${id}/tokens`);
      expect([status, body.access, body.url.startsWith('ws')]).toEqual([201, 'socket', true]);
      expect(Date.parse(body.token_expires_at) - Date.now()).toBeLessThanOrEqual(60_000);
      for (const each of [token, body.token]) await sessions.redeem(id, each);
      await expect(sessions.redeem(id, token)).rejects.toMatchObject({ code: 'live_token_invalid' });
    });

    it('to followers, which can read the session and its job and nothing else', async () => {
      const [{ id }, other] = [await newSession(), await newSession()];
      const { body } = await gateway.call<Created>('POST', `/live/${id}/tokens`, { json: { access: 'read' } });
      const follower = gateway.as(body.token);
      const status = async (method: string, path: string) => (await follower.call(method, path)).status;
      expect([await status('GET', `/live/${id}`), await status('GET', `/transcriptions/${id}`)]).toEqual([200, 200]);
      expect([await status('DELETE', `/live/${id}`), await status('POST', `/live/${id}/tokens`), await status('GET', `/live/${other.id}`)]).toEqual([403, 403, 403]);
      expect(Date.parse(body.token_expires_at)).toBeGreaterThanOrEqual(Date.parse((await sessions.find(id))?.endsBy ?? ''));
    });

    it('to no key of another account', async () => {
      const { id } = await newSession();
      const { apiKey } = await gateway.createAccount();
      const stranger = gateway.as(apiKey);
      const status = async (method: string, path: string) => (await stranger.call(method, path)).status;
      expect([await status('GET', `/live/${id}`), await status('POST', `/live/${id}/tokens`), await status('DELETE', `/live/${id}`), await status('GET', `/live/${id}/events`)]).toEqual([404, 404, 404, 404]);
    });
  });

  describe('end by request', () => {
    it('with what was acknowledged, and their job continues', async () => {
      const { id } = await newSession();
      await sessions.takeOver(id);
      expect(await gateway.call('DELETE', `/live/${id}`)).toMatchObject({ status: 202, body: { id, status: 'ending' } });
      await eventually('the end', async () => (await sessions.find(id))?.status === 'ended');
      expect(gateway.services.live.finished.filter(({ jobId }) => jobId === id)).toMatchObject([{ pieces: [], finalsKey: '' }]);
      expect(await replica.events.last(id)).toMatchObject({ message: { type: 'finished', transcription_id: id, audio_ms: 0 } });
      await expect(sessions.commit(id, 1, {})).rejects.toMatchObject({ code: 'live_ended' });
      expect(await gateway.call('DELETE', `/live/${id}`)).toMatchObject({ status: 202, body: { status: 'ended', ended_at: expect.any(String), last_seq: 1 } });
    });
  });
});
