import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { content, eventually, heldUntil, MediaServer, NO_ADD_ONS, type Parlance, SAMPLES, type ServerSentEvent } from '@parlance/testing';
import { product } from './product.js';

async function collect(events: AsyncIterable<ServerSentEvent>, enough: (event: ServerSentEvent) => boolean = () => false) {
  const collected: ServerSentEvent[] = [];
  for await (const event of events) {
    collected.push(event);
    if (enough(event)) break;
  }
  return collected;
}

/** Passes the events on, and calls `connected` at the first. A recording that is held until then has its progress ahead: a completed job sends none. */
async function* onceConnected(events: AsyncIterable<ServerSentEvent>, connected: () => void): AsyncGenerator<ServerSentEvent> {
  for await (const event of events) {
    connected();
    yield event;
  }
}

const named = (events: ServerSentEvent[], name: string) => events.filter(({ event }) => event === name).map(({ data }) => data);
const segmentTexts = (events: ServerSentEvent[]) => named(events, 'transcript.segment').map(({ text }) => text);

describe('who watches a job', () => {
  let parlance: Parlance;
  beforeAll(async () => {
    parlance = await product();
  });

  it('hears of its states, of its progress, and at last that it is done', async () => {
    await using media = await MediaServer.start();
    const watched = Promise.withResolvers<void>();
    const url = media.at('/meeting.mp3', heldUntil(watched.promise, content(await readFile(SAMPLES.meeting.path))));
    const jobId = await parlance.api.submit({ audio_url: url });
    const events = await collect(onceConnected(parlance.api.events(jobId), watched.resolve));
    expect(new Set(events.map(({ event }) => event))).toEqual(new Set(['status', 'progress', 'transcript.segment', 'done']));
    const states = named(events, 'status').map(({ status }) => status);
    expect(states.at(-1)).toBe('completed');
    expect(['queued', 'processing', 'completed'].filter((status) => states.includes(status))).toEqual([...new Set(states)]);
    expect(events.at(-1)).toMatchObject({ event: 'done', data: { status: 'completed' } });
    expect(named(events, 'done')).toHaveLength(1);
    const percents = named(events, 'progress').map(({ percent }) => Number(percent));
    expect(percents).toEqual(percents.toSorted((a, b) => a - b));
    expect(percents.at(-1)).toBe(100);
  });

  it('hears segments as the chunks finish, in all those of the transcript’s words', async () => {
    await using media = await MediaServer.start();
    const recording = content(await readFile(SAMPLES.meeting.path));
    const watch = async () => {
      const watched = Promise.withResolvers<void>();
      const jobId = await parlance.api.submit({ audio_url: media.at('/meeting.mp3', heldUntil(watched.promise, recording)) });
      return { jobId, events: await collect(onceConnected(parlance.api.events(jobId), watched.resolve)) };
    };
    // On a busy machine a watcher may receive the events of all chunks at once: then it watches another job.
    const { jobId, events } = await eventually('a segment before the last progress', async () => {
      const watching = await watch();
      const first = watching.events.findIndex(({ event }) => event === 'transcript.segment');
      return watching.events.slice(first).some(({ event, data }) => event === 'progress' && Number(data.percent) < 100) && watching;
    });
    const { transcript } = await parlance.api.job(jobId);
    const heard = segmentTexts(events).join(' ').split(' ').toSorted();
    expect(heard).toEqual((transcript?.text ?? '').split(/\s+/).toSorted());
  });

  it('goes on after a lost connection with the event that follows', async () => {
    const jobId = await parlance.api.upload(SAMPLES.meeting.path, NO_ADD_ONS);
    const before = await collect(parlance.api.events(jobId), ({ event }) => event === 'transcript.segment');
    const after = await collect(parlance.api.events(jobId, before.at(-1)?.id));
    expect(after.at(-1)?.event).toBe('done');
    const whole = await collect(parlance.api.events(jobId));
    expect([...segmentTexts(before), ...segmentTexts(after)].toSorted()).toEqual(segmentTexts(whole).toSorted());
  });

  it('hears everything of a job that was done long ago', async () => {
    const jobId = await parlance.api.upload(SAMPLES.reading.path, NO_ADD_ONS);
    await parlance.api.terminal(jobId);
    const events = await collect(parlance.api.events(jobId));
    expect(named(events, 'status').at(-1)).toMatchObject({ status: 'completed' });
    expect(events.at(-1)?.event).toBe('done');
    const { transcript } = await parlance.api.job(jobId);
    const known = (transcript?.segments ?? []).map(({ segment_id: id }) => id);
    expect(new Set(named(events, 'transcript.segment').flatMap(({ segment_ids: ids }) => ids as string[]))).toEqual(new Set(known));
    for (const [index, { id }] of events.entries()) {
      const rest = await collect(parlance.api.events(jobId, id));
      expect(rest.slice(-(events.length - 1 - index) || rest.length)).toEqual(events.slice(index + 1));
    }
    for (const id of ['1.0.999', '1.999.0', '999999.0.0.done', 'nonsense']) expect(await collect(parlance.api.events(jobId, id))).toEqual(events);
  });

  it('is told the same wherever: by every gateway there is, on a stream and from a long poll', async () => {
    const jobId = await parlance.api.upload(SAMPLES.meeting.path, NO_ADD_ONS);
    const watchers = [0, 1].map(() => collect(parlance.api.events(jobId)));
    const polls = [0, 1].map(async () => {
      let status = 'queued';
      while (status === 'queued' || status === 'processing') status = (await parlance.api.job(jobId, '?wait=60&include=none')).status;
      return status;
    });
    const [one = [], other = []] = await Promise.all(watchers);
    expect(await Promise.all(polls)).toEqual(['completed', 'completed']);
    expect(segmentTexts(one)).toEqual(segmentTexts(other));
    expect([one.at(-1), named(one, 'done')]).toEqual([expect.objectContaining({ event: 'done' }), named(other, 'done')]);
  });

  it('is woken from a long poll by the change of status', async () => {
    const jobId = await parlance.api.upload(SAMPLES.meeting.path, NO_ADD_ONS);
    const seen: string[] = [];
    while (!['completed', 'failed'].includes(seen.at(-1) ?? '')) seen.push((await parlance.api.job(jobId, '?wait=60&include=none')).status);
    expect(seen.at(-1)).toBe('completed');
    expect(seen.length).toBeLessThanOrEqual(4);
  });

  it('gets 304 while nothing has changed', async () => {
    const jobId = await parlance.api.upload(SAMPLES.reading.path, NO_ADD_ONS);
    await parlance.api.terminal(jobId);
    // Something may change after the end of the job, also between two requests.
    const { etag, same } = await eventually('the job to come to rest', async () => {
      const first = await parlance.api.request('GET', `/transcriptions/${jobId}`);
      const etag = first.headers.get('etag') ?? '';
      const same = await parlance.api.request('GET', `/transcriptions/${jobId}`, { headers: { 'if-none-match': etag } });
      return same.headers.get('etag') === etag && { etag, same };
    });
    expect([same.status, await same.text(), etag]).toEqual([304, '', expect.stringMatching(/./)]);
    const other = await parlance.api.request('GET', `/transcriptions/${jobId}?include=words`, { headers: { 'if-none-match': etag } });
    expect(other.status).toBe(200);
    const wrong = await parlance.api.request('GET', `/transcriptions/${jobId}`, { headers: { 'if-none-match': '"other"' } });
    expect(wrong.status).toBe(200);
  });
});
