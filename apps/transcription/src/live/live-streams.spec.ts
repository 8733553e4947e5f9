import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { live } from '@parlance/contracts';
import type { LiveStream } from './live-stream.js';
import { LiveStreams } from './live-streams.js';

const STARTED: Parameters<LiveStream['follow']>[0] = { $case: 'speechStarted', value: live.SpeechBoundary.fromPartial({}) };
const ENDED: Parameters<LiveStream['follow']>[0] = { $case: 'speechEnded', value: live.SpeechBoundary.fromPartial({}) };
const final = (endpoint: live.Endpoint): Parameters<LiveStream['follow']>[0] => ({ $case: 'final', value: live.FinalUtterance.fromPartial({ endpoint }) });
const QUIET_MS = 10_000;

describe('the places of live streams', () => {
  let placed: number;
  let streams: LiveStreams;
  beforeEach(() => {
    jest.useFakeTimers();
    streams = new LiveStreams({ LIVE_STREAMS: 4 }, { streams: (count) => void (placed = count) });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const begun = (count: number, accountId = 'acc_1') => Array.from({ length: count }, () => streams.begin(accountId));
  const codeOf = (work: () => unknown): unknown => {
    try {
      work();
      return 'none';
    } catch (error) {
      return (error as { code: unknown }).code;
    }
  };

  /** Streams that are spoken into. */
  const spoken = (count: number, accountId = 'acc_1') =>
    begun(count, accountId).map((stream) => {
      stream.follow(STARTED);
      return stream;
    });

  it('are given back when a stream ends', () => {
    const [first] = spoken(4);
    expect([placed, codeOf(() => spoken(1))]).toEqual([4, 'no_live_capacity']);
    first?.[Symbol.dispose]();
    expect([placed, codeOf(() => spoken(1)), placed]).toEqual([3, 'none', 4]);
  });

  it('are not needed to begin, and go from streams that are quiet to those that are spoken into, from the quietest first', () => {
    const [never, ended, speaking] = begun(4);
    jest.advanceTimersByTime(1000);
    for (const stream of [ended, speaking]) stream?.follow(STARTED);
    jest.advanceTimersByTime(1000);
    ended?.follow(ENDED);
    const others = begun(4, 'acc_2');
    expect([placed, others.map(({ hasPlace }) => hasPlace)]).toEqual([4, [false, false, false, false]]);
    others[0]?.follow(STARTED);
    others[1]?.follow(STARTED);
    expect([placed, never?.hasPlace, ended?.hasPlace, speaking?.hasPlace, never?.lost.aborted]).toEqual([4, false, true, true, false]);
    others[2]?.follow(STARTED);
    expect([placed, ended?.hasPlace, ended?.lost.aborted, speaking?.hasPlace]).toEqual([4, false, false, true]);
  });

  it('are given back in silence, and taken again with the next word', () => {
    const [first, second] = begun(4);
    first?.follow(STARTED);
    jest.advanceTimersByTime(QUIET_MS - 1);
    expect(placed).toBe(4);
    first?.arrived();
    second?.arrived();
    jest.advanceTimersByTime(1);
    expect([placed, first?.hasPlace, second?.hasPlace]).toEqual([1, true, false]);
    second?.follow(STARTED);
    first?.follow(ENDED);
    first?.follow(final(live.Endpoint.ENDPOINT_SILENCE));
    jest.advanceTimersByTime(QUIET_MS - 1);
    second?.arrived();
    jest.advanceTimersByTime(1);
    expect([first?.hasPlace, second?.hasPlace]).toEqual([false, true]);
  });

  it('are given back when the audio stops in the middle of speech, and taken again when it continues', () => {
    const [stream] = begun(1);
    stream?.follow(STARTED);
    jest.advanceTimersByTime(QUIET_MS);
    expect(placed).toBe(0);
    stream?.arrived();
    expect(placed).toBe(1);
    jest.advanceTimersByTime(QUIET_MS);
    spoken(4);
    expect(codeOf(() => stream?.arrived())).toBe('no_live_capacity');
  });

  it('are kept by speech without a pause', () => {
    const [stream] = begun(1);
    for (let seconds = 0; seconds < 60; seconds += 8) {
      stream?.follow(final(live.Endpoint.ENDPOINT_LENGTH));
      jest.advanceTimersByTime(8000);
    }
    expect(stream?.hasPlace).toBe(true);
  });

  it('refuse a stream that speaks again when all are taken', () => {
    const [quiet] = begun(1);
    jest.advanceTimersByTime(QUIET_MS);
    spoken(4);
    expect(codeOf(() => quiet?.follow(STARTED))).toBe('no_live_capacity');
  });

  it('go to an account with fewer of them, until both have as many', () => {
    const held = spoken(4);
    const others = spoken(2, 'acc_2');
    expect(held.map(({ lost }) => lost.aborted)).toEqual([false, false, true, true]);
    expect([placed, codeOf(() => spoken(1, 'acc_2')), codeOf(() => spoken(1, 'acc_1')), codeOf(() => spoken(1, 'acc_3'))]).toEqual([4, 'no_live_capacity', 'no_live_capacity', 'none']);
    expect([...held, ...others].filter(({ hasPlace }) => hasPlace)).toHaveLength(3);
    expect(codeOf(() => held[3]?.follow(STARTED))).toBe('no_live_capacity');
  });

  it('bound the streams without one too', () => {
    for (let index = 0; index < 10; index += 1) {
      begun(4);
      jest.advanceTimersByTime(QUIET_MS);
    }
    expect([placed, codeOf(() => streams.begin('acc_1')), codeOf(() => streams.begin('acc_2'))]).toEqual([0, 'no_live_capacity', 'none']);
  });
});
