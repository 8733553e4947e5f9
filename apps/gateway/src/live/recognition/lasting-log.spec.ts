import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { StorageFolder } from '../../../test/storage-folder.js';
import { LiveEvents } from '../session/live-events.js';
import { LiveFeed } from '../session/live-feed.js';
import { LastingLog, type NewLastingMessage } from './lasting-log.js';

const FINAL: NewLastingMessage = { type: 'final', utterance: 1, id: 'utt_1', start: 0, end: 1, text: 'one', words: [], endpoint: 'silence' };
const gap = (index: number): NewLastingMessage => ({ type: 'gap', from_ms: 1000 + index, to_ms: 1001 + index, reason: 'skipped' });

describe('the lasting messages of a session', () => {
  let storage: StorageFolder;
  let events: LiveEvents;
  beforeAll(async () => {
    storage = await StorageFolder.open();
    events = new LiveEvents(storage.documents, storage.clock, new LiveFeed());
  });
  afterAll(() => storage[Symbol.asyncDispose]());

  it('say where recognition may begin, however many gaps came after the last final', async () => {
    const log = await LastingLog.open(events, { id: 'job_1', accountId: 'acc_1', generation: 1 });
    await log.append(FINAL, { restart: { sample: 16_000, utterances: 1 } });
    for (let index = 0; index < 300; index += 1) await log.append(gap(index));
    const opened = await LastingLog.open(events, { id: 'job_1', accountId: 'acc_1', generation: 2 });
    expect([opened.lastSeq, opened.restartOf({ restart: { sample: 0, utterances: 0 } })]).toEqual([301, { sample: 16_000, utterances: 1 }]);
    expect(opened.restartOf({ restart: { sample: 32_000, utterances: 1 } })).toEqual({ sample: 32_000, utterances: 1 });
  });

  it('have a gap that is announced again once', async () => {
    const log = await LastingLog.open(events, { id: 'job_2', accountId: 'acc_1', generation: 1 });
    expect(await log.append(gap(1))).toMatchObject({ seq: 1 });
    const opened = await LastingLog.open(events, { id: 'job_2', accountId: 'acc_1', generation: 2 });
    expect(await opened.append(gap(1))).toBeUndefined();
    expect(await opened.append(gap(2))).toMatchObject({ seq: 2 });
  });
});
