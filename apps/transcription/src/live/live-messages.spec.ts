import { describe, expect, it } from '@jest/globals';
import { LiveMessages } from './live-messages.js';

const word = { text: 'so', start: 1, end: 1.5 };
const partial = (utterance: number, revision: number) => ({ type: 'partial' as const, utterance, revision, start: 1, end: 2, text: 'so', stableCharacters: 0 });
const final = (utterance: number) => ({ type: 'final' as const, utterance, start: 1, end: 2.048, words: [word], endpoint: 'silence' as const });

describe('LiveMessages', () => {
  it('counts times, samples and utterances from the start of the session', () => {
    const messages = new LiveMessages({ startSample: 51_200, utterancesBefore: 4 });
    expect(messages.boundary({ type: 'speech_started', at: 0.5 })).toEqual({ $case: 'speechStarted', value: { at: 3.7 } });
    expect(messages.progress({ type: 'progress', until: 0.032 })).toEqual({ $case: 'progress', value: { untilSample: 51_712 } });
    expect(messages.final(final(1), [word])).toMatchObject({ value: { utterance: 5, untilSample: 83_968, segment: { segmentId: 'seg_000005', start: 4.2, end: 4.7, text: 'so' } } });
  });

  it('gives the number of an utterance without words to the next one, whose revisions go on', () => {
    const messages = new LiveMessages({ startSample: 0, utterancesBefore: 0 });
    const sent = [messages.partial(partial(1, 1)), messages.final(final(1), []), messages.partial(partial(2, 1)), messages.final(final(2), [word]), messages.partial(partial(3, 1))];
    expect(sent.map((event) => event.value)).toMatchObject([{ utterance: 1, revision: 1 }, { utterance: 1 }, { utterance: 1, revision: 3 }, { utterance: 1, segment: { segmentId: 'seg_000001' } }, { utterance: 2, revision: 1 }]);
  });
});
