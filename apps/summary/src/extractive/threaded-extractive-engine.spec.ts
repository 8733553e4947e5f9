import { afterEach, describe, expect, it } from '@jest/globals';
import { threadMemory } from '@parlance/platform';
import type { TranscriptText } from '../engine/summary-engine.js';
import { ExtractiveEngine } from './extractive-engine.js';
import { ThreadedExtractiveEngine } from './threaded-extractive-engine.js';

const never = new AbortController().signal;

const talk = (texts: readonly string[]): TranscriptText => ({
  language: 'en',
  duration: texts.length * 5,
  speakers: [],
  lines: texts.map((text, index) => ({ segmentId: `seg_${index}`, start: index * 5, end: index * 5 + 4, text })),
  recordedAt: new Date('2026-11-18T10:00:00Z'),
});

const MEETING = talk(['the roof of the library costs a million', 'we decided to build the roof in spring', 'i will send the plan of the roof to the city by next friday']);
const HOURS = talk(Array.from({ length: 4000 }, (_, index) => `the roof number ${index} of the library costs ${index * 7} and the city pays for the roof`));

describe('the built-in engine in its thread', () => {
  const engine = new ThreadedExtractiveEngine();
  afterEach(() => engine.close());

  it('gives what the engine gives', async () => {
    const inPlace = new ExtractiveEngine();
    expect(await engine.summarize(MEETING, { format: 'brief' }, never)).toEqual(await inPlace.summarize(MEETING, { format: 'brief' }, never));
    expect(await engine.highlight(MEETING, never)).toEqual(await inPlace.highlight(MEETING, never));
  });

  it('gives up at once when it is told to, and goes on with other work', async () => {
    const controller = new AbortController();
    const canceled = expect(engine.summarize(HOURS, { format: 'detailed' }, controller.signal)).rejects.toThrow('enough');
    const other = engine.highlight(MEETING, never);
    controller.abort(new Error('enough'));
    await canceled;
    expect((await other).engine).toBe('extractive');
  });

  it('keeps hold of a thread that began before the last one was gone', async () => {
    await engine.highlight(MEETING, never);
    const closing = engine.close();
    const cut = expect(engine.summarize(HOURS, { format: 'brief' }, never)).rejects.toMatchObject({ code: 'engine_failed' });
    await closing;
    await engine.close();
    await cut;
  });

  it('fails for the transcript alone that is too much for it, not for those beside it', async () => {
    const small = new ThreadedExtractiveEngine(threadMemory(48));
    const poison = talk(Array.from({ length: 200_000 }, (_, index) => `line ${index} of far too many about the roof`));
    const before = small.highlight(MEETING, never);
    const guilty = expect(small.highlight(poison, never)).rejects.toMatchObject({ code: 'engine_failed' });
    const beside = [small.highlight(MEETING, never), small.summarize(MEETING, { format: 'brief' }, never)];
    await guilty;
    for (const result of await Promise.all([before, ...beside])) expect(result.engine).toBe('extractive');
    await small.close();
  });

  it('fails for all who wait when it is closed', async () => {
    const asked = [HOURS, MEETING, MEETING].map((transcript) => expect(engine.highlight(transcript, never)).rejects.toMatchObject({ code: 'engine_failed', retryable: true }));
    await engine.close();
    await Promise.all(asked);
  });

  it('says so when the thread ends, and begins another', async () => {
    const cut = expect(engine.summarize(HOURS, { format: 'brief' }, never)).rejects.toMatchObject({ code: 'engine_failed', retryable: true });
    await engine.close();
    await cut;
    expect((await engine.summarize(MEETING, { format: 'brief' }, never)).text).toMatch(/roof/);
  });
});
