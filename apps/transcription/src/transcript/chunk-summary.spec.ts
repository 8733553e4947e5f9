import { describe, expect, it } from '@jest/globals';
import type { ChunkCheckpoint } from '../chunks/chunk-checkpoint.js';
import { ChunkSummary } from './chunk-summary.js';

const checkpoint = (changes: Partial<ChunkCheckpoint>): ChunkCheckpoint => ({
  id: 'job_1/000000', createdAt: '2026-01-01T00:00:00.000Z', jobId: 'job_1', accountId: 'acc_1', index: 0, run: 1, state: 'transcribed',
  start: 0, end: 30, ownStart: 0, ownEnd: 30, words: [], speechSeconds: 10, audioSeconds: 30, processingSeconds: 1, engine: 'fixture', warnings: [],
  ...changes,
});

const summaryOf = (...checkpoints: Partial<ChunkCheckpoint>[]) => {
  const summary = new ChunkSummary();
  for (const changes of checkpoints) summary.add(checkpoint(changes));
  return summary;
};

describe('ChunkSummary', () => {
  it('takes the language that most of the speech is in, not most of the chunks', () => {
    const { language } = summaryOf(
      { language: 'de', speechSeconds: 2, languageConfidence: 1 },
      { language: 'de', speechSeconds: 2, languageConfidence: 1 },
      { language: 'en', speechSeconds: 12, languageConfidence: 0.5 },
    );
    expect(language).toEqual({ tag: 'en', confidence: 0.375 });
  });

  it('has no confidence of the language where the engine gives none', () => {
    expect(summaryOf({ language: 'de' }, { language: 'de' }).language).toEqual({ tag: 'de' });
    expect(summaryOf({ language: 'de', languageConfidence: 1 }, { language: 'de' }).language).toEqual({ tag: 'de' });
  });

  it('is uncertain of the language when none was detected in half of the speech or more', () => {
    const certain = { language: 'de', spoken: 'de' };
    const uncertain = { spoken: 'de', isLanguageUncertain: true };
    expect(summaryOf(certain, certain, uncertain)).toMatchObject({ isLanguageUncertain: false, spokenLanguage: 'de' });
    expect(summaryOf(certain, uncertain).isLanguageUncertain).toBe(true);
    expect(summaryOf({ speechSeconds: 0 }).isLanguageUncertain).toBe(false);
  });

  it('knows no language where nobody speaks', () => {
    expect(summaryOf({ speechSeconds: 0, audioSeconds: 0 }).language).toBeUndefined();
  });

  it('gives each warning once', () => {
    const unused = { code: 'vocabulary_unsupported', message: 'The vocabulary was not used.' };
    expect(summaryOf({ warnings: [unused] }, { warnings: [unused] }).warnings).toEqual([unused]);
  });
});
