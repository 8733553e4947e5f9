/** -1 (very negative) to 1 (very positive) of one sentence. */
type SentimentScorer = (text: string) => number;

/**
 * VADER (Hutto and Gilbert 2014): a lexicon made for what people say, with rules for negation ("not good"), degree ("very",
 * "hardly") and contrast ("but").
 */
export async function englishSentiment(): Promise<SentimentScorer> {
  const { default: vader } = await import('vader-sentiment');
  return (text) => vader.SentimentIntensityAnalyzer.polarity_scores(text).compound;
}

export type MoodLabel = 'negative' | 'neutral' | 'positive';

/** The limits that VADER's authors give. */
export function moodLabel(score: number): MoodLabel {
  if (score >= 0.05) return 'positive';
  return score <= -0.05 ? 'negative' : 'neutral';
}
