import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { common, type LastingMessage } from '@parlance/contracts';
import { AppError, silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import { openDocumentDatabase, type DocumentDatabase } from '@parlance/storage';
import type { Scope } from '../../keys/scope.js';
import { LiveEvents } from './live-events.js';
import { LiveFeed, type FeedMessage } from './live-feed.js';
import { optionsOf, type LiveSession } from './live-session.js';
import { LiveSessions } from './live-sessions.js';
import { LiveTokens } from './live-tokens.js';
import type { SocketCaller } from './socket-access.js';

const ids = ulidGenerator();
const opened = new AsyncDisposableStack();
let documents: DocumentDatabase;
beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parlance-live-'));
  opened.defer(() => rm(folder, { recursive: true }));
  documents = await openDocumentDatabase(`sqlite:${join(folder, 'gateway.db')}`, { clock: systemClock, ids, log: silentLogger(), source: 'gateway' });
  opened.defer(() => documents.close());
});
afterAll(() => opened.disposeAsync());

const codeOf = (promise: Promise<unknown>): Promise<unknown> => promise.then(() => 'none', (error: { code: unknown }) => error.code);
const all = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
};

describe('live sessions', () => {
  let now: number;
  let sessions: LiveSessions;
  beforeEach(() => {
    now = Date.parse('2026-01-01T00:00:00.000Z');
    const clock = { now: () => new Date(now) };
    sessions = new LiveSessions(documents, clock, new LiveTokens(clock, randomBytes));
  });

  const limits = { maxFrameBytes: 1000, maxBytes: 1e9, idleMs: 60_000, maxSessionMs: 3_600_000, resumeMs: 60_000 };
  const create = (accountId = 'acc_1'): Promise<LiveSession> =>
    sessions.create({
      id: ids.next('job'),
      accountId,
      keyId: 'key_1',
      credentialId: 'key_1',
      audio: { encoding: 'pcm_s16le', sampleRate: 16_000, channels: 1 },
      partials: true,
      endpointing: { silenceMs: 500, maxUtteranceMs: 20_000 },
      options: common.JobOptions.toJSON(common.JobOptions.fromPartial({ language: 'en', vocabulary: ['Parlance'] })),
      storeAudio: true,
      finalPass: 'none',
      limits,
    });

  const caller = (keyId: string, scopes: Scope[] = ['transcriptions:write', 'transcriptions:read']): SocketCaller => ({ accountId: 'acc_1', keyId, scopes: new Set(scopes) });

  it('keep the options of their job', async () => {
    const { accountId, id } = await create();
    expect(optionsOf(await sessions.get(accountId, id))).toMatchObject({ language: 'en', vocabulary: ['Parlance'] });
  });

  it('are created once, also when the request is repeated', async () => {
    const first = await create();
    await sessions.takeOver(first.id);
    expect(await sessions.create(first)).toMatchObject({ id: first.id, generation: 1 });
  });

  it('are not found by another account', async () => {
    const { id } = await create();
    expect(await codeOf(sessions.get('acc_2', id))).toBe('not_found');
    expect(await codeOf(sessions.issueToken({ ...caller('key_2'), accountId: 'acc_2' }, id))).toBe('not_found');
  });

  it('take each of their tokens once, within its time', async () => {
    const { id } = await create();
    const [first, second, late] = [await sessions.issueToken(caller('key_2'), id), await sessions.issueToken(caller('key_2'), id), await sessions.issueToken(caller('key_2'), id)];
    expect(await sessions.redeem(id, second.token)).toMatchObject({ session: { id }, credentialId: 'key_2' });
    expect(await codeOf(sessions.redeem(id, second.token))).toBe('live_token_invalid');
    expect(await sessions.redeem(id, first.token)).toMatchObject({ session: { id } });
    expect(await codeOf(sessions.redeem(id, 'plv_guess'))).toBe('live_token_invalid');
    now = Date.parse(late.expiresAt);
    expect(await codeOf(sessions.redeem(id, late.token))).toBe('live_token_invalid');
  });

  it('give a token to what created them, to a token that this key made for them, and to callers that may read', async () => {
    const { id } = await create();
    const writer = (keyId: string, token?: SocketCaller['token']) => codeOf(sessions.issueToken({ ...caller(keyId, ['transcriptions:write']), ...(token && { token }) }, id));
    expect([await writer('key_1'), await writer('key_1', { id: 'tok_1', jobId: id })]).toEqual(['none', 'none']);
    expect([await writer('key_2'), await writer('key_1', { id: 'tok_1' }), await writer('key_2', { id: 'tok_1', jobId: id })]).toEqual(['insufficient_scope', 'insufficient_scope', 'insufficient_scope']);
    expect(await codeOf(sessions.issueToken(caller('key_2'), id))).toBe('none');
    expect(await codeOf(sessions.issueToken({ ...caller('key_2'), projectId: 'prj_1' }, id))).toBe('not_found');
  });

  it('tell clients with an unused token, and no others, that they have ended', async () => {
    const { id } = await create();
    const { token } = await sessions.issueToken(caller('key_2'), id);
    await sessions.takeOverEnd(id);
    expect(await codeOf(sessions.redeem(id, token))).toBe('live_ended');
    await sessions.cancel(id);
    expect([await codeOf(sessions.redeem(id, token)), await codeOf(sessions.redeem(id, 'plv_guess'))]).toEqual(['live_ended', 'live_token_invalid']);
  });

  it('give one of many calls with the same token the session', async () => {
    const { id } = await create();
    const { token } = await sessions.issueToken(caller('key_2'), id);
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => codeOf(sessions.redeem(id, token))));
    expect(outcomes.filter((code) => code === 'none')).toHaveLength(1);
  });

  it('do not store the token', async () => {
    const { id } = await create();
    const { token } = await sessions.issueToken(caller('key_2'), id);
    expect(JSON.stringify(await sessions.find(id))).not.toContain(token);
  });

  it('refuse a change of an older generation', async () => {
    const { id } = await create();
    await sessions.takeOver(id);
    await sessions.commit(id, 1, { acknowledged: 100, audioMs: 3 });
    const second = await sessions.takeOver(id);
    expect(second).toMatchObject({ generation: 2, acknowledged: 100, generations: [{ generation: 1, from: 0 }, { generation: 2, from: 100 }] });
    expect(await codeOf(sessions.commit(id, 1, { acknowledged: 200 }))).toBe('live_taken_over');
    expect(await codeOf(sessions.beginEnd(id, 1))).toBe('live_taken_over');
    expect(await codeOf(sessions.end(id, 1))).toBe('live_taken_over');
    expect(await sessions.find(id)).toMatchObject({ acknowledged: 100, status: 'open' });
  });

  it('give each of many connections a generation of its own, and keep none that stored nothing', async () => {
    const { id } = await create();
    const taken = await Promise.all(Array.from({ length: 20 }, () => sessions.takeOver(id)));
    expect(new Set(taken.map(({ generation }) => generation)).size).toBe(20);
    expect((await sessions.find(id))?.generations).toEqual([{ generation: 20, from: 0 }]);
  });

  it('are due when nothing was committed in time', async () => {
    const { id } = await create();
    const isDue = async () => (await all(sessions.due())).some((session) => session.id === id);
    await sessions.takeOver(id);
    now += 50_000;
    await sessions.commit(id, 1, {});
    now += 50_000;
    expect(await isDue()).toBe(false);
    now += 11_000;
    expect(await isDue()).toBe(true);
    expect(await sessions.takeOverEnd(id)).toMatchObject({ status: 'ending', generation: 2 });
    expect(await isDue()).toBe(false);
    expect(await codeOf(sessions.takeOver(id))).toBe('live_ended');
    expect(await sessions.commit(id, 2, { audioMs: 5 })).toMatchObject({ status: 'ending', audioMs: 5 });
    await sessions.end(id, 2);
    now += 3_600_000;
    expect(await isDue()).toBe(false);
  });

  it('are due at their longest end, whatever is committed', async () => {
    const { id, endsBy } = await create();
    await sessions.takeOver(id);
    now = Date.parse(endsBy) - 1000;
    expect(await sessions.commit(id, 1, {})).toMatchObject({ resumeUntil: endsBy });
  });

  it('end once', async () => {
    const { id } = await create();
    await sessions.takeOver(id);
    await sessions.beginEnd(id, 1);
    const ended = await sessions.end(id, 1);
    now += 1000;
    expect(await sessions.end(id, 1)).toEqual(ended);
    expect(await sessions.takeOverEnd(id)).toBeUndefined();
    expect(await codeOf(sessions.commit(id, 1, {}))).toBe('live_ended');
    expect(await sessions.cancel(id)).toMatchObject({ status: 'ended' });
  });

  it('end at once when they are canceled', async () => {
    const { id } = await create();
    await sessions.takeOver(id);
    expect(await sessions.cancel(id)).toMatchObject({ status: 'canceled' });
    expect(await codeOf(sessions.commit(id, 1, {}))).toBe('live_ended');
    expect(await codeOf(sessions.end(id, 1))).toBe('live_ended');
    expect(await sessions.takeOverEnd(id)).toBeUndefined();
  });

  it('wait before their end is tried again', async () => {
    const { id } = await create();
    await sessions.takeOverEnd(id);
    await sessions.postponeEnd(id, 600_000, new AppError({ code: 'internal', message: 'Broken.' }));
    expect(await sessions.find(id)).toMatchObject({ ending: { failures: 1 } });
    now += 599_000;
    expect((await all(sessions.due())).map((session) => session.id)).not.toContain(id);
    now += 2000;
    expect((await all(sessions.due())).map((session) => session.id)).toContain(id);
  });

  it('count while they are open', async () => {
    const [one] = [await create('acc_counted'), await create('acc_counted')];
    expect(await sessions.countOpen('acc_counted')).toBe(2);
    await sessions.cancel(one.id);
    expect(await sessions.countOpen('acc_counted')).toBe(1);
  });

  it('are outdated some days after their end', async () => {
    const { id } = await create();
    await sessions.cancel(id);
    expect((await all(sessions.outdated())).map((session) => session.id)).not.toContain(id);
    now += 8 * 24 * 3_600_000;
    expect((await all(sessions.outdated())).map((session) => session.id)).toContain(id);
    expect(await sessions.remove(id)).toBe(true);
    expect(await sessions.find(id)).toBeUndefined();
  });
});

describe('the lasting messages of a session', () => {
  const feed = new LiveFeed();
  let events: LiveEvents;
  beforeEach(() => {
    events = new LiveEvents(documents, systemClock, feed);
  });
  const started = (seq: number, at = seq): LastingMessage => ({ type: 'speech_started', seq, at });

  it('are stored once, in their order', async () => {
    const id = ids.next('job');
    expect(await events.append({ id, accountId: 'acc_1', generation: 1 }, started(1), { restart: { sample: 16_000, utterances: 1 } })).toBe('stored');
    expect(await events.append({ id, accountId: 'acc_1', generation: 2 }, started(1))).toBe('same');
    expect(await events.append({ id, accountId: 'acc_1', generation: 2 }, started(1, 7))).toBe('other');
    for (const seq of [11, 2, 3, 10]) await events.append({ id, accountId: 'acc_1', generation: 2 }, started(seq));
    await events.append({ id: ids.next('job'), accountId: 'acc_1', generation: 1 }, started(4));
    expect((await all(events.list(id))).map(({ seq }) => seq)).toEqual([1, 2, 3, 10, 11]);
    expect((await all(events.list(id, 3))).map(({ message }) => message)).toEqual([started(10), started(11)]);
    expect(await events.last(id)).toMatchObject({ seq: 11 });
    expect((await all(events.list(id)))[0]?.restart).toEqual({ sample: 16_000, utterances: 1 });
  });

  it('are the same when a field that is undefined was left out', async () => {
    const id = ids.next('job');
    const final: LastingMessage = { type: 'final', seq: 1, utterance: 1, id: '1', start: 0, end: 1, text: 'hi', words: [], endpoint: 'silence', language: undefined };
    await events.append({ id, accountId: 'acc_1', generation: 1 }, final);
    expect(await events.append({ id, accountId: 'acc_1', generation: 2 }, final)).toBe('same');
  });

  it('are more than a page', async () => {
    const id = ids.next('job');
    for (let seq = 1; seq <= 450; seq++) await events.append({ id, accountId: 'acc_1', generation: 1 }, started(seq));
    expect(await all(events.list(id))).toHaveLength(450);
    expect(await events.count(id)).toBe(450);
    await events.removeAll(id);
    expect(await events.last(id)).toBeUndefined();
  });

  it('are published to followers in this process once', async () => {
    const id = ids.next('job');
    const received: FeedMessage[] = [];
    const end = feed.follow(id, (message) => received.push(message));
    await events.append({ id, accountId: 'acc_1', generation: 1 }, started(1));
    await events.append({ id, accountId: 'acc_1', generation: 1 }, started(1));
    end();
    await events.append({ id, accountId: 'acc_1', generation: 1 }, started(2));
    expect(received).toEqual([started(1)]);
  });
});
