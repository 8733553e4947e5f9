import { describe, expect, it } from '@jest/globals';
import type { StreamingEvent, StreamingInput, StreamingRecognizer, StreamingRequest } from '../streaming/streaming-recognizer.js';
import { ENDED_SIGNALS, neverAborted } from './signals.js';

interface StreamingRecognizerUnderTest {
  recognizer: StreamingRecognizer;
  /** Some seconds with at least two utterances; s16le, 16 kHz, one channel. */
  speech: { pcm: Uint8Array; language: string };
  /** False where a server decides what is found, which the port cannot bind. */
  restartsExactly?: boolean;
  /** One whose finals fail with a retryable engine_failed or engine_timeout. */
  failing: () => StreamingRecognizer | Promise<StreamingRecognizer>;
}

const BYTES_PER_SECOND = 32_000;
const UNSUPPORTED = 'tlh';

async function* inBlocks(pcm: Uint8Array, bytes: number): AsyncGenerator<StreamingInput> {
  for (let at = 0; at < pcm.byteLength; at += bytes) yield { pcm: pcm.subarray(at, at + bytes) };
}

/** An utterance that is ended on request, and then a connection that stays open without audio. */
async function* utterance(pcm: Uint8Array): AsyncGenerator<StreamingInput> {
  yield { pcm: pcm.subarray(0, 3 * BYTES_PER_SECOND) };
  yield 'finalize';
  await new Promise(() => {});
}

async function collect(events: AsyncIterable<StreamingEvent>): Promise<StreamingEvent[]> {
  const collected = [];
  for await (const event of events) collected.push(event);
  return collected;
}

const only = <T extends StreamingEvent['type']>(events: readonly StreamingEvent[], type: T) =>
  events.filter((event): event is Extract<StreamingEvent, { type: T }> => event.type === type);

/** Where a recognition can begin anew, but the end. */
const pointsOf = (events: readonly StreamingEvent[]) => events.flatMap((event, nth) => (event.type === 'progress' && nth < events.length - 1 ? [{ nth, until: event.until }] : []));

/** The first two points and the last one. */
const sampled = <Point>(points: readonly Point[]): Point[] => [...new Set([...points.slice(0, 2), ...points.slice(-1)])];

const LASTING = new Set<StreamingEvent['type']>(['speech_started', 'speech_ended', 'final', 'progress']);

/** The events whose order does not depend on the pace, with times to be added in whole milliseconds. */
const lasting = (events: readonly StreamingEvent[]) => events.filter(({ type }) => LASTING.has(type));

/** The event as a stream counts it that began earlier. @param seconds between the two starts. @param utterances that ended between them */
function counted(event: StreamingEvent, seconds: number, utterances: number): StreamingEvent {
  const later = (time: number) => Math.round((time + seconds) * 1000) / 1000;
  if (event.type === 'progress') return { ...event, until: later(event.until) };
  if (event.type === 'speech_started' || event.type === 'speech_ended') return { ...event, at: later(event.at) };
  if (event.type !== 'final') return event;
  const words = event.words.map((word) => ({ ...word, start: later(word.start), end: later(word.end) }));
  return { ...event, utterance: event.utterance + utterances, start: later(event.start), end: later(event.end), words };
}

/** What every adapter of `StreamingRecognizer` does. */
export function describeStreamingRecognizerContract(name: string, given: () => StreamingRecognizerUnderTest): void {
  describe(`${name}, as a streaming recognizer`, () => {
    const recognize = (input: AsyncIterable<StreamingInput>, more: Partial<StreamingRequest> = {}) => {
      const { recognizer, speech } = given();
      return recognizer.recognize(input, { language: speech.language, partials: true, silenceMs: 300, maxUtteranceMs: 20_000, signal: neverAborted, ...more });
    };
    let first: Promise<StreamingEvent[]> | undefined;
    /** One answer for all cases that only look at it. */
    const events = () => (first ??= collect(recognize(inBlocks(given().speech.pcm, 3200))));

    it('gives each utterance one final, in order of time and without overlap, with words inside it', async () => {
      const finals = only(await events(), 'final');
      expect(finals.length).toBeGreaterThan(1);
      const seconds = given().speech.pcm.byteLength / BYTES_PER_SECOND;
      let last = { utterance: 0, end: 0 };
      for (const final of finals) {
        expect([final.utterance === last.utterance + 1, final.start >= last.end, final.end > final.start, final.end <= seconds + 0.001]).toEqual([true, true, true, true]);
        for (const { start, end, text } of final.words) {
          expect(text).toMatch(/^\S+$/);
          expect([start >= final.start, end >= start, end <= final.end]).toEqual([true, true, true]);
        }
        last = final;
      }
      expect(finals.flatMap(({ words }) => words).length).toBeGreaterThan(0);
    });

    it('reports where speech began and ended, in turn', async () => {
      const turns = (await events()).flatMap((event) => (event.type === 'speech_started' || event.type === 'speech_ended' ? [event] : []));
      expect(turns[0]?.type).toBe('speech_started');
      for (const [nth, { type, at }] of turns.entries()) {
        expect(type).toBe(nth % 2 === 0 ? 'speech_started' : 'speech_ended');
        expect(at).toBeGreaterThanOrEqual(turns[nth - 1]?.at ?? 0);
      }
    });

    it('keeps the stable part of the partials of an utterance, and shows none after its final', async () => {
      const stable = new Map<number, string>();
      const ended = new Set<number>();
      for (const event of await events()) {
        if (event.type === 'final') ended.add(event.utterance);
        if (event.type !== 'partial') continue;
        expect(ended).not.toContain(event.utterance);
        expect(event.text.startsWith(stable.get(event.utterance) ?? '')).toBe(true);
        expect(event.stableCharacters).toBeLessThanOrEqual(event.text.length);
        stable.set(event.utterance, event.text.slice(0, event.stableCharacters));
      }
    });

    it('reports progress that only grows, to the end of the audio, and no final before it', async () => {
      let until = 0;
      for (const event of await events()) {
        if (event.type === 'final') expect(event.start).toBeGreaterThanOrEqual(until);
        if (event.type !== 'progress') continue;
        expect(event.until).toBeGreaterThan(until);
        until = event.until;
      }
      expect(until).toBeCloseTo(given().speech.pcm.byteLength / BYTES_PER_SECOND, 2);
    });

    it('recognizes the same in blocks of any length, odd ones as well', async () => {
      const whole = only(await events(), 'final').map(({ utterance, start, end, words }) => ({ utterance, start, end, words }));
      const odd = only(await collect(recognize(inBlocks(given().speech.pcm, 1001), { partials: false })), 'final');
      expect(odd.map(({ utterance, start, end, words }) => ({ utterance, start, end, words }))).toEqual(whole);
    });

    it('gives the same from each of its points of progress on', async () => {
      const { speech, restartsExactly = true } = given();
      if (!restartsExactly) return;
      for (const maxUtteranceMs of [20_000, 1500]) {
        const whole = lasting(await collect(recognize(inBlocks(speech.pcm, 3200), { maxUtteranceMs, partials: false })));
        for (const { nth, until } of sampled(pointsOf(whole))) {
          const rest = speech.pcm.subarray(Math.round(until * 16_000) * 2);
          const utterances = only(whole.slice(0, nth), 'final').length;
          const again = lasting(await collect(recognize(inBlocks(rest, 7777), { maxUtteranceMs, partials: false })));
          expect(again.map((event) => counted(event, until, utterances))).toEqual(whole.slice(nth + 1));
        }
      }
    });

    it('shows no partials that were not requested', async () => {
      expect(only(await collect(recognize(inBlocks(given().speech.pcm, 32_000), { partials: false })), 'partial')).toEqual([]);
    });

    it('ends an utterance on request', async () => {
      const [opening] = only(await events(), 'speech_started');
      const bytes = Math.round(((opening?.at ?? 0) + 1) * BYTES_PER_SECOND);
      const until = async function* (): AsyncGenerator<StreamingInput> {
        yield { pcm: given().speech.pcm.subarray(0, bytes - (bytes % 2)) };
        yield 'finalize';
      };
      expect(only(await collect(recognize(until())), 'final').map(({ endpoint }) => endpoint)).toEqual(['finalize']);
    });

    it('reports that a final failed, although no further audio comes', async () => {
      const recognizer = await given().failing();
      const { pcm, language } = given().speech;
      const events = recognizer.recognize(utterance(pcm), { language, partials: false, silenceMs: 5000, maxUtteranceMs: 20_000, signal: neverAborted });
      await expect(collect(events)).rejects.toMatchObject({ code: expect.stringMatching(/^engine_(failed|timeout)$/), retryable: true });
    });

    it('ends an utterance at its maximum length', async () => {
      const finals = only(await collect(recognize(inBlocks(given().speech.pcm, 32_000), { maxUtteranceMs: 1000, partials: false })), 'final');
      expect(finals.some(({ endpoint }) => endpoint === 'length')).toBe(true);
      for (const { start, end } of finals) expect(end - start).toBeLessThan(1.4);
    });

    it.each([0, 1, 64_000])('finds no utterance in %d bytes of silence', async (bytes) => {
      expect(only(await collect(recognize(inBlocks(new Uint8Array(bytes), 3200))), 'final')).toEqual([]);
    });

    it('refuses a language that it does not support', async () => {
      await expect(collect(recognize(inBlocks(new Uint8Array(0), 1), { language: UNSUPPORTED }))).rejects.toMatchObject({ code: 'language_unsupported', retryable: false });
    });

    it.each(ENDED_SIGNALS)('ends a call that was %s before it began', async (_what, signal, code) => {
      await expect(collect(recognize(inBlocks(given().speech.pcm, 3200), { signal: signal() }))).rejects.toMatchObject({ code });
    });

    it('ends while it waits for audio, when it is canceled', async () => {
      const canceled = new AbortController();
      const silent = async function* (): AsyncGenerator<StreamingInput> {
        yield { pcm: new Uint8Array(3200) };
        setImmediate(() => canceled.abort());
        await new Promise(() => {});
      };
      await expect(collect(recognize(silent(), { signal: canceled.signal }))).rejects.toMatchObject({ code: 'canceled' });
    });

    it('reads its input no further than it needs while its reader waits', async () => {
      let seconds = 0;
      const { pcm } = given().speech;
      const endless = async function* (): AsyncGenerator<StreamingInput> {
        for (;;) {
          for await (const block of inBlocks(pcm, BYTES_PER_SECOND)) {
            yield block;
            seconds += 1;
          }
        }
      };
      // Short utterances soon give many unread events.
      const iterator = recognize(endless(), { partials: false, silenceMs: 100, maxUtteranceMs: 500 })[Symbol.asyncIterator]();
      await iterator.next();
      for (let before = -1; before !== seconds; ) {
        before = seconds;
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
      expect(seconds).toBeLessThan(600);
      await iterator.return?.();
    });

    it('gives sessions side by side what each gets alone', async () => {
      const blocks = [3200, 6400, 16_000];
      const all = await Promise.all(blocks.map((bytes) => collect(recognize(inBlocks(given().speech.pcm, bytes), { partials: false }))));
      for (const each of all) expect(only(each, 'final')).toEqual(only(await events(), 'final'));
    });

    it('throws on what its input throws', async () => {
      const broken = async function* (): AsyncGenerator<StreamingInput> {
        yield { pcm: new Uint8Array(3200) };
        throw new Error('The connection broke.');
      };
      await expect(collect(recognize(broken()))).rejects.toThrow('The connection broke.');
    });

    it('ends when its reader leaves', async () => {
      let isLeft = false;
      const endless = async function* (): AsyncGenerator<StreamingInput> {
        try {
          for (;;) yield { pcm: new Uint8Array(32_000) };
        } finally {
          isLeft = true;
        }
      };
      for await (const event of recognize(endless())) if (event.type === 'progress') break;
      expect(isLeft).toBe(true);
    });
  });
}
