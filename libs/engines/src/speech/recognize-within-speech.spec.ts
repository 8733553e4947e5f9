import { describe, expect, it } from '@jest/globals';
import { recognizeWithinSpeech } from './recognize-within-speech.js';
import type { RecognizedWord, SpeechRecognizer } from './speech-recognizer.js';
import { FixtureRecognizer } from './fixture/fixture-recognizer.js';

const request = { pcm: new Uint8Array(320_000), signal: new AbortController().signal };

class ScriptedRecognizer implements SpeechRecognizer {
  readonly info = new FixtureRecognizer().info;
  calls = 0;
  constructor(private readonly words: RecognizedWord[]) {}
  async recognize() {
    this.calls += 1;
    return { words: this.words, language: 'en' };
  }
  async check() {}
  async close() {}
}
const word = (start: number, text: string): RecognizedWord => ({ start, end: start + 0.2, text, confidence: 1 });

describe('recognizeWithinSpeech', () => {
  it('does not call the engine for a chunk without speech', async () => {
    const recognizer = new ScriptedRecognizer([word(1, 'thanks')]);
    expect(await recognizeWithinSpeech(recognizer, request, [])).toEqual({ words: [] });
    expect(await recognizeWithinSpeech(recognizer, request, [{ start: 10, end: 12 }])).toEqual({ words: [] });
    expect(recognizer.calls).toBe(0);
  });

  it('keeps what was said and drops inventions and loops', async () => {
    const loop = Array.from({ length: 20 }, (_, index) => word(2 + index / 10, 'you'));
    const recognizer = new ScriptedRecognizer([word(1, 'see'), ...loop, word(8, 'thanks')]);
    const { words, language } = await recognizeWithinSpeech(recognizer, request, [{ start: 1, end: 5 }]);
    expect(words.map(({ text }) => text)).toEqual(['see', 'you']);
    expect(language).toBe('en');
  });
});
