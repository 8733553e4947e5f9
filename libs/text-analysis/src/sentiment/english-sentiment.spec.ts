import { describe, expect, it } from '@jest/globals';
import { englishSentiment, moodLabel } from './english-sentiment.js';

describe('English moods', () => {
  it('are told with negation, degree and contrast', async () => {
    const score = await englishSentiment();
    expect(moodLabel(score('this is great news'))).toBe('positive');
    expect(moodLabel(score('this is not great news'))).toBe('negative');
    expect(moodLabel(score('the meeting is at ten'))).toBe('neutral');
    expect(score('it is very good')).toBeGreaterThan(score('it is good'));
    expect(score('it was good but the end was terrible')).toBeLessThan(0);
  });
});
