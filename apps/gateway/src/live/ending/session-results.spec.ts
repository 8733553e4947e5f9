import { expect, it } from '@jest/globals';
import type { LastingMessage } from '@parlance/contracts';
import { resultsOf } from './session-results.js';

const final = (seq: number): LastingMessage => ({ type: 'final', seq, utterance: seq, id: `seg_${seq}`, start: seq, end: seq + 1, text: 'So.', words: [], endpoint: 'silence' });

async function* stored(...events: Parameters<typeof resultsOf>[0] extends AsyncIterable<infer Event> ? Event[] : never) {
  yield* events;
}

it('gives the job the finals of a session, which of them a model punctuated, and its gaps', async () => {
  const gap: LastingMessage = { type: 'gap', seq: 3, from_ms: 500, to_ms: 1500, reason: 'skipped' };
  expect(await resultsOf(stored({ message: final(1) }, { message: final(2), isPunctuated: true }, { message: gap }))).toEqual({
    finals: [{ start: 1, end: 2, words: [] }, { start: 2, end: 3, words: [], isPunctuated: true }],
    gaps: [{ start: 0.5, end: 1.5, reason: 'skipped' }],
  });
});
