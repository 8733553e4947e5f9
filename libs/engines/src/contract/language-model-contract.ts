import { describe, expect, it } from '@jest/globals';
import type { GenerationEvent, LanguageModel } from '../language-model/language-model.js';
import { ENDED_SIGNALS, neverAborted } from './signals.js';

const messages = [
  { role: 'system', content: 'Answer in one sentence.' },
  { role: 'user', content: 'What is a transcript?' },
] as const;

/** What every adapter of `LanguageModel` does. @param given a model that answers the same question with the same text */
export function describeLanguageModelContract(name: string, given: () => LanguageModel): void {
  describe(`${name}, as a language model`, () => {
    const request = { messages, temperature: 0, signal: neverAborted };

    it('describes itself', () => {
      const { name: model, contextTokens, maxOutputTokens } = given().info;
      expect(model).not.toBe('');
      expect(maxOutputTokens).toBeGreaterThan(0);
      expect(contextTokens).toBeGreaterThanOrEqual(maxOutputTokens);
    });

    it('streams the text that it generates at once, and then ends once', async () => {
      const { text, finishReason } = await given().generate(request);
      expect([text === '', finishReason]).toEqual([false, 'complete']);
      const events: GenerationEvent[] = [];
      for await (const event of given().stream(request)) events.push(event);
      expect(events.map((event) => (event.type === 'delta' ? event.text : '')).join('')).toBe(text);
      expect(events.filter(({ type }) => type === 'end')).toEqual([expect.objectContaining({ finishReason })]);
      expect(events.at(-1)?.type).toBe('end');
    });

    it('can be left in the middle of a stream, and answers again', async () => {
      for await (const event of given().stream(request)) if (event.type === 'delta') break;
      expect((await given().generate(request)).finishReason).toBe('complete');
    });

    it('counts more tokens for a longer text, and none for an empty one', () => {
      const model = given();
      expect(model.countTokens('')).toBe(0);
      expect(model.countTokens('A sentence of several words.'.repeat(10))).toBeGreaterThan(model.countTokens('A sentence of several words.'));
    });

    it.each(ENDED_SIGNALS)('ends a call that was %s before it began', async (_what, signal, code) => {
      await expect(given().generate({ ...request, signal: signal() })).rejects.toMatchObject({ code });
      const stream = async () => {
        for await (const _ of given().stream({ ...request, signal: signal() }));
      };
      await expect(stream()).rejects.toMatchObject({ code });
    });
  });
}
