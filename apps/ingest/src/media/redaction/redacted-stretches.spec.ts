import { describe, expect, it } from '@jest/globals';
import { transcripts } from '@parlance/contracts';
import { redactedStretches } from './redacted-stretches.js';

const word = (start: number, end: number, redacted?: string) => transcripts.Word.fromPartial({ start, end, text: 'word', ...(redacted !== undefined && { redacted }) });

async function* segments() {
  yield transcripts.Segment.fromPartial({ start: 0, end: 4, words: [word(0.05, 0.4, 'person'), word(0.6, 1), word(2, 2.5, 'iban'), word(2.6, 3, 'iban'), word(3.5, 4)] });
  yield transcripts.Segment.fromPartial({ start: 5, end: 6, words: [word(5, 6)] });
}

describe('the stretches of redacted words', () => {
  it('have a margin and are joined where it overlaps', async () => {
    const found = await redactedStretches(segments(), { areTimesEstimated: false });
    expect(found.map(({ start, end }) => [start.toFixed(2), end.toFixed(2)])).toEqual([['0.00', '0.55'], ['1.85', '3.15']]);
  });

  it('are whole segments where the times of words are estimated', async () => {
    expect(await redactedStretches(segments(), { areTimesEstimated: true })).toEqual([{ start: 0, end: 4.15 }]);
  });
});
