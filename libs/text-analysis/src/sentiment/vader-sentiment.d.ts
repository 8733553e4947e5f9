/** The package has no types. */
declare module 'vader-sentiment' {
  const vader: { SentimentIntensityAnalyzer: { polarity_scores(text: string): { compound: number; pos: number; neg: number; neu: number } } };
  export default vader;
}
