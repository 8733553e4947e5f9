import { describe, expect, it } from '@jest/globals';
import type { TextEmbedder } from '../embeddings/text-embedder.js';
import { ENDED_SIGNALS, neverAborted } from './signals.js';

/** What every adapter of `TextEmbedder` does. */
export function describeTextEmbedderContract(name: string, given: () => TextEmbedder): void {
  describe(`${name}, as a text embedder`, () => {
    const embed = (...texts: string[]) => given().embed({ texts, purpose: 'passage', signal: neverAborted });

    it('describes itself', () => {
      const { name: model, dimensions, maxTokens, maxBatch } = given().info;
      expect(model).not.toBe('');
      for (const limit of [dimensions, maxTokens, maxBatch]) expect(limit).toBeGreaterThan(0);
    });

    it('returns a vector of length 1 for each text, in their order', async () => {
      const texts = ['The roof leaks.', 'Nobody was paged at night.', 'The train is late.'];
      const together = await embed(...texts);
      for (const [index, text] of texts.entries()) {
        const vector = together[index] as Float32Array;
        expect(vector).toHaveLength(given().info.dimensions);
        expect(Math.hypot(...vector)).toBeCloseTo(1, 4);
        expect([...((await embed(text))[0] as Float32Array)]).toEqual([...vector]);
      }
    });

    it('takes more texts than one batch has', async () => {
      const texts = Array.from({ length: given().info.maxBatch + 1 }, (_, index) => `sentence ${index % 7}`);
      const vectors = await embed(...texts);
      expect(vectors).toHaveLength(texts.length);
      expect(vectors.at(-1)).toEqual(vectors[(texts.length - 1) % 7]);
    });

    it('has no vector for an empty text, and no vectors for no texts', async () => {
      expect((await embed('', 'The roof leaks.')).map((vector) => vector !== undefined)).toEqual([false, true]);
      expect(await embed()).toEqual([]);
    });

    it.each(ENDED_SIGNALS)('ends a call that was %s before it began', async (_what, signal, code) => {
      await expect(given().embed({ texts: ['one'], purpose: 'query', signal: signal() })).rejects.toMatchObject({ code });
    });
  });
}
