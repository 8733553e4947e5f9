import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { LastingMessage, ServerMessageOf } from '@parlance/contracts';
import { receivedEvents, type ReceivedEvent } from '../../../test/event-stream-client.js';
import { GatewayHarness } from '../../../test/gateway-harness.js';
import { LiveReplica } from '../../../test/live-replica.js';
import { LiveFeed } from '../session/live-feed.js';
import { LiveEventStream } from './live-event-stream.js';

const started = (seq: number): LastingMessage => ({ type: 'speech_started', seq, at: seq });
const final = (seq: number, utterance: number): LastingMessage => ({ type: 'final', seq, utterance, id: String(utterance), start: 0, end: 1, text: `number ${utterance}`, words: [], endpoint: 'silence' });
const finished = (seq: number, id: string): LastingMessage => ({ type: 'finished', seq, transcription_id: id, audio_ms: 1000 });
const partial = (utterance: number, revision: number): ServerMessageOf<'partial'> => ({ type: 'partial', utterance, revision, start: 0, end: 1, text: 'so far', stable_chars: 0 });

describe('the events of a live session', () => {
  const opened = new AsyncDisposableStack();
  let gateway: GatewayHarness;
  let replica: LiveReplica;
  beforeAll(async () => {
    gateway = opened.use(await GatewayHarness.start());
    replica = opened.use(await LiveReplica.beside(gateway));
  });
  afterAll(() => opened.disposeAsync());

  const newSession = async () => (await gateway.call<{ id: string }>('POST', '/live', { json: {} })).body.id;
  const stream = (id: string, query = '', headers: Record<string, string> = {}) => gateway.fetch(`/api/v1/live/${id}/events${query}`, { headers });
  const allOf = async (response: Response): Promise<ReceivedEvent[]> => {
    const all: ReceivedEvent[] = [];
    for await (const event of receivedEvents(response)) all.push(event);
    return all;
  };

  it('are those that another replica stores, as they come, up to the end', async () => {
    const id = await newSession();
    await replica.events.append({ id, accountId: 'acc_1', generation: 1 }, started(1));
    const response = await stream(id);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    const received = receivedEvents(response);
    expect((await received.next()).value).toEqual({ id: '1', event: 'speech_started', data: { event: 'speech_started', ...started(1) } });
    await replica.events.append({ id, accountId: 'acc_1', generation: 1 }, final(2, 1));
    expect((await received.next()).value).toMatchObject({ id: '2', event: 'final', data: { text: 'number 1' } });
    await replica.events.append({ id, accountId: 'acc_1', generation: 1 }, finished(3, id));
    expect((await received.next()).value).toMatchObject({ id: '3', event: 'finished' });
    expect(await received.next()).toMatchObject({ done: true });
  });

  it('continue after what was received', async () => {
    const id = await newSession();
    for (const message of [started(1), final(2, 1), finished(3, id)]) await replica.events.append({ id, accountId: 'acc_1', generation: 1 }, message);
    const idsOf = async (response: Response) => (await allOf(response)).map((event) => event.id);
    expect(await idsOf(await stream(id))).toEqual(['1', '2', '3']);
    expect(await idsOf(await stream(id, '?after=1'))).toEqual(['2', '3']);
    expect(await idsOf(await stream(id, '?after=1', { 'last-event-id': '2' }))).toEqual(['3']);
    expect(await idsOf(await stream(id, '', { 'last-event-id': 'foreign' }))).toEqual(['1', '2', '3']);
    expect((await stream(id, '?after=3')).status).toBe(204);
    expect((await stream(id, '?after=-1')).status).toBe(422);
  });

  it('can be followed by a token in the URL', async () => {
    const id = await newSession();
    await replica.events.append({ id, accountId: 'acc_1', generation: 1 }, finished(1, id));
    const { body } = await gateway.call<{ token: string; url: string }>('POST', `/live/${id}/tokens`, { json: { access: 'read' } });
    expect(await allOf(await fetch(`${body.url}?access_token=${body.token}`))).toHaveLength(1);
    expect((await fetch(body.url)).status).toBe(401);
  });

  it('end with a session that is canceled', async () => {
    const id = await newSession();
    const received = receivedEvents(await stream(id));
    await replica.events.append({ id, accountId: 'acc_1', generation: 1 }, started(1));
    expect((await received.next()).value).toMatchObject({ id: '1' });
    await replica.sessions.cancel(id);
    expect(await received.next()).toMatchObject({ done: true });
  });

  it('are not of a session that does not exist', async () => {
    expect((await stream('job_none')).status).toBe(404);
  });

  describe('in the process that has the connection', () => {
    const follow = (id: string, feed: LiveFeed, options: { pollMs?: number; heartbeatMs?: number } = {}) =>
      new LiveEventStream({ sessions: replica.sessions, events: replica.events, feed, pollMs: 60_000, heartbeatMs: 60_000, ...options }, id, 0).events(new AbortController().signal);

    it('have the newest partial, and none that its final has overtaken', async () => {
      const id = await newSession();
      const feed = new LiveFeed();
      const events = follow(id, feed);
      await events.next();
      const first = events.next();
      // The stream listens from its first call on.
      feed.publish(id, partial(1, 1));
      feed.publish(id, partial(1, 2));
      expect((await first).value).toContain('"revision":2');
      const next = events.next();
      feed.publish(id, partial(2, 1));
      await replica.events.append({ id, accountId: 'acc_1', generation: 1 }, final(1, 2));
      feed.publish(id, final(1, 2));
      const texts = [(await next).value];
      await replica.events.append({ id, accountId: 'acc_1', generation: 1 }, finished(2, id));
      feed.publish(id, finished(2, id));
      for await (const text of events) texts.push(text);
      const kinds = texts.map((text) => /event: (\w+)/.exec(String(text))?.[1]);
      expect(kinds.slice(-2)).toEqual(['final', 'finished']);
      expect(kinds.indexOf('partial')).toBeLessThanOrEqual(0);
    });

    it('read no stored messages, and no session, for a partial', async () => {
      const id = await newSession();
      const feed = new LiveFeed();
      let reads = 0;
      const counted = <A extends unknown[], R>(read: (...args: A) => R) => (...args: A): R => {
        reads += 1;
        return read(...args);
      };
      const { sessions, events } = replica;
      const stream = new LiveEventStream({ sessions: { find: counted(sessions.find.bind(sessions)) }, events: { list: counted(events.list.bind(events)) }, feed, pollMs: 60_000, heartbeatMs: 60_000 }, id, 0).events(new AbortController().signal);
      await stream.next();
      await events.append({ id, accountId: 'acc_1', generation: 1 }, started(1));
      expect((await stream.next()).value).toContain('speech_started');
      const before = reads;
      for (const revision of [1, 2, 3]) {
        feed.publish(id, partial(1, revision));
        expect((await stream.next()).value).toContain(`"revision":${revision}`);
      }
      expect(reads).toBe(before);
      await stream.return(undefined);
    });

    it('have heartbeats while nothing is said', async () => {
      const id = await newSession();
      const events = follow(id, new LiveFeed(), { heartbeatMs: 5 });
      await events.next();
      expect((await events.next()).value).toBe(':\n\n');
      await events.return(undefined);
    });

    it('end at once when their job is canceled', async () => {
      const id = await newSession();
      const feed = new LiveFeed();
      const events = follow(id, feed);
      await events.next();
      const end = events.next();
      feed.publish(id, { type: 'canceled' });
      expect(await end).toMatchObject({ done: true });
    });
  });
});
