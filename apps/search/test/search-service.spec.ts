import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { events, search } from '@parlance/contracts';
import { eventually } from '@parlance/testing';
import { SearchStage } from '../src/indexing/search-stage.js';
import { SearchStages } from '../src/indexing/search-stages.js';
import { SearchConsumers } from '../src/search.consumers.js';
import { SearchHarness } from './search-harness.js';

const { SearchMode: Mode } = search;
const { SpeakersChange: Change } = events;

describe('the search service', () => {
  let harness: SearchHarness;
  beforeAll(async () => {
    harness = await SearchHarness.start();
  });
  afterAll(() => harness[Symbol.asyncDispose]());

  it('reads the topics and types that its README lists, as one group', () => {
    const none = {} as never;
    const stage = new SearchStage(none, { info: {} } as never, none);
    const consumers = new SearchConsumers(new SearchStages(stage, none, none, none, none, none), none, none).consumers();
    expect(consumers.map(({ group, topic, handlers }) => [group, topic, Object.keys(handlers)])).toEqual([
      ['search', 'parlance.transcripts.v1', ['transcript.speakers_changed', 'transcript.edited', 'transcript.completed']],
      ['search', 'parlance.stages.v1', ['stage.requested']],
      ['search', 'parlance.jobs.v1', ['job.canceled', 'job.failed', 'job.content_erased', 'job.deleted']],
    ]);
  });

  it('never has the text of a sealed job in its index, which is not sealed', async () => {
    harness.source.add('job_sealed', ['The walrus signs the treaty.']);
    await harness.completed('job_sealed', 1, { resultKey: '{}' });
    // Events of one job are handled in order: the stage of this one begins after the first was handled.
    await harness.completed('job_sealed', 2);
    expect(await harness.awaitEvent('stage.started', 'job_sealed')).toMatchObject({ run: 2 });
    await harness.awaitEvent('stage.finished', 'job_sealed');
    expect(harness.heard('stage.started', 'job_sealed')).toHaveLength(1);
  });

  it('finds a transcript by words and by meaning once its stage is completed', async () => {
    harness.source.add('job_budget', ['The budget is too small for two hires.', 'We will ask again in spring.']);
    harness.source.add('job_garden', ['Water the tomatoes every evening.', 'The roses need to be cut back.']);
    await harness.indexed('job_budget', 'job_garden');
    expect(harness.heard('stage.started', 'job_budget')).toHaveLength(1);
    expect(await harness.awaitEvent('stage.finished', 'job_budget')).toMatchObject({ stage: 'STAGE_SEARCH', status: 'STAGE_STATUS_COMPLETED', engine: 'static-english-256-v1' });
    const found = await harness.search('we cannot afford another engineer');
    expect([found.mode, found.hits[0]?.jobId]).toEqual([Mode.SEARCH_MODE_HYBRID, 'job_budget']);
    const [hit] = (await harness.search('spring', { mode: Mode.SEARCH_MODE_LEXICAL })).hits;
    expect(hit).toMatchObject({ jobId: 'job_budget', segmentId: 'seg_000001', start: 0, jumpTo: 5, end: 9.5 });
    const { text = '', marks = [] } = hit?.snippet ?? {};
    expect(marks.map(({ from, before }) => text.slice(from, before))).toEqual(['spring']);
  });

  it('indexes once, however often it is told', async () => {
    harness.source.add('job_twice', ['The ferry leaves at noon.']);
    await harness.service.republish(await harness.completed('job_twice'));
    await harness.awaitEvent('stage.finished', 'job_twice');
    await harness.indexed('job_twice');
    expect([harness.heard('stage.started', 'job_twice').length, harness.heard('stage.finished', 'job_twice').length]).toEqual([1, 1]);
    expect(await harness.jobsFor('"ferry leaves"')).toEqual(['job_twice']);
  });

  it('searches other languages by their words, and says so', async () => {
    const accountId = 'acc_de';
    harness.source.add('job_de', ['Der Haushalt reicht nicht für zwei neue Stellen.'], { language: 'de-DE', accountId });
    await harness.indexed('job_de');
    const { mode, hits } = await harness.search('Haushalt', { accountId });
    expect([mode, hits.map(({ jobId }) => jobId)]).toEqual([Mode.SEARCH_MODE_LEXICAL, ['job_de']]);
  });

  it('shows names as they are now, and speakers that became one', async () => {
    const speakers = [{ speakerId: 'S1', name: 'Speaker 1' }, { speakerId: 'S2', name: 'Speaker 2' }];
    const segments: [string, string][] = [['S1', 'Shall we paint the harbour bridge?'], ['S2', 'The harbour bridge was painted in June.']];
    harness.source.add('job_names', segments, { speakers });
    await harness.indexed('job_names');
    const names = async () => (await harness.search('"harbour bridge"')).hits.map(({ speakerId, speaker }) => [speakerId, speaker]);
    expect((await names()).toSorted()).toEqual([['S1', 'Speaker 1'], ['S2', 'Speaker 2']]);

    harness.source.add('job_names', segments, { version: 2, speakers: [{ speakerId: 'S1', name: 'Ada' }, { speakerId: 'S2', name: 'Speaker 2' }] });
    await harness.speakersChanged('job_names', { version: 2, change: Change.SPEAKERS_CHANGE_RENAMED });
    await eventually('the name', async () => (await names()).some(([, name]) => name === 'Ada'));
    expect(await harness.jobsFor('"harbour bridge"', { filters: search.SearchFilters.fromPartial({ speakers: ['ada'] }) })).toEqual(['job_names']);

    harness.source.add('job_names', segments, { version: 3, speakers: [{ speakerId: 'S1', name: 'Ada' }] });
    await harness.speakersChanged('job_names', { version: 3, change: Change.SPEAKERS_CHANGE_MERGED, mergedFrom: 'S2', mergedInto: 'S1' });
    await eventually('one speaker', async () => (await names()).every(([id]) => id === 'S1'));
    expect(await names()).toEqual([['S1', 'Ada'], ['S1', 'Ada']]);
  });

  it('cuts passages anew when speakers are found', async () => {
    harness.source.add('job_found', ['Is the lighthouse open?', 'The lighthouse is open until five.']);
    await harness.indexed('job_found');
    expect(await harness.jobsFor('"lighthouse"')).toEqual(['job_found']);
    harness.source.add('job_found', [['S1', 'Is the lighthouse open?'], ['S2', 'The lighthouse is open until five.']], { version: 2 });
    await harness.speakersChanged('job_found', { version: 2, change: Change.SPEAKERS_CHANGE_FOUND });
    await eventually('two passages', async () => (await harness.jobsFor('"lighthouse"')).length === 2);
  });

  it('tells why it failed, has the words all the same, and the meaning once a retry goes better', async () => {
    const answers = [401, 200, 200];
    const server = createServer((_request, response) => {
      const data = [{ index: 0, embedding: Array.from({ length: 256 }, () => 1) }];
      response.writeHead(answers.shift() ?? 500, { 'content-type': 'application/json' }).end(JSON.stringify({ data }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `openai+http://127.0.0.1:${(server.address() as AddressInfo).port}/v1?maxRetries=0`;
    await using other = await SearchHarness.start({ EMBEDDINGS_ENGINE_URL: url });
    other.source.add('job_words', ['The orchard has nine pear trees.']);
    await other.completed('job_words');
    const { status, error } = await other.awaitEvent('stage.finished', 'job_words');
    expect([status, error?.code]).toEqual(['STAGE_STATUS_FAILED', 'engine_failed']);
    const { mode, hits } = await other.search('pear trees');
    expect([mode, hits.length]).toEqual([Mode.SEARCH_MODE_LEXICAL, 1]);
    await other.retry('job_words', 2);
    expect(await other.awaitEvent('stage.finished', 'job_words', 2)).toMatchObject({ run: 2, status: 'STAGE_STATUS_COMPLETED' });
    expect((await other.search('fruit', { mode: Mode.SEARCH_MODE_SEMANTIC })).mode).toBe(Mode.SEARCH_MODE_SEMANTIC);
    expect((await other.search('pear trees')).mode).toBe(Mode.SEARCH_MODE_LEXICAL);
    server.close();
  });

  it('takes an empty transcript', async () => {
    harness.source.add('job_empty', []);
    await harness.indexed('job_empty');
    expect(await harness.awaitEvent('stage.finished', 'job_empty')).toMatchObject({ status: 'STAGE_STATUS_COMPLETED' });
  });

  it('forgets a deleted job for good, and reports how much it held', async () => {
    harness.source.add('job_gone', [['S1', 'The violinist came late.'], ['S2', 'A violinist never comes late.']]);
    await harness.indexed('job_gone');
    expect(await harness.jobsFor('"violinist"')).toHaveLength(2);
    await harness.tell('job.deleted', 'job_gone');
    expect(await harness.awaitEvent('erasure.reported', 'job_gone')).toMatchObject({ erasureId: 'era_1', what: 'index_entries', where: 'search', count: 2 });
    await harness.completed('job_gone', 2);
    await harness.speakersChanged('job_gone', { version: 2, change: Change.SPEAKERS_CHANGE_FOUND });
    harness.source.add('job_after', ['The cellist was there.']);
    await harness.indexed('job_after');
    expect(await harness.jobsFor('"violinist"')).toEqual([]);
  });

  it('stops when its job is canceled, and leaves nothing', async () => {
    const begun = Promise.withResolvers<void>();
    harness.source.beforeTranscript = async (jobId) => {
      if (jobId !== 'job_canceled') return;
      begun.resolve();
      await new Promise(() => {});
    };
    harness.source.add('job_canceled', ['The parcel never arrived.']);
    await harness.completed('job_canceled');
    await begun.promise;
    await harness.tell('job.canceled', 'job_canceled');
    harness.source.add('job_next', ['The letter arrived.']);
    await harness.indexed('job_next');
    expect(harness.heard('stage.finished', 'job_canceled')).toEqual([]);
    expect(await harness.jobsFor('"parcel"')).toEqual([]);
  });

  it.each([['"'], ['the and of'], ['x'.repeat(10_000)], ['word '.repeat(2000)], ['\0'], ['Ω']])('answers a search for %j', async (text) => {
    const { hits } = await harness.search(text.slice(0, 10_000));
    expect(Array.isArray(hits)).toBe(true);
  });
});
