import { describe, expect, it } from '@jest/globals';
import { engineFailed, NoPunctuator, type Punctuation, type PunctuationRequest, type Punctuator } from '@parlance/engines';
import type { Logger } from '@parlance/platform';
import { ChunkPunctuator } from './chunk-punctuator.js';

const never = new AbortController().signal;
const words = ['HOW', 'ARE', 'YOU'].map((text, index) => ({ start: index, end: index + 0.5, text, confidence: 0.9 }));

function using(punctuate: (request: PunctuationRequest) => Promise<Punctuation | undefined>) {
  const warnings: string[] = [];
  const punctuator: Punctuator = Object.assign(new NoPunctuator(), { punctuate });
  const log = { warn: (_: object, message: string) => void warnings.push(message) } as unknown as Logger;
  return { chunks: new ChunkPunctuator(punctuator, log), warnings };
}

describe('ChunkPunctuator', () => {
  it('has the words punctuated in small letters, with times of the engine', async () => {
    const { chunks } = using(async (request) => {
      expect(request).toMatchObject({ language: 'en', words: [{ start: 0, end: 0.5, text: 'how' }, { text: 'are' }, { text: 'you' }] });
      return { texts: ['how', 'are', 'you?'], hasCapitals: false };
    });
    const expected = [{ ...words[0], text: 'How', raw: 'HOW' }, { ...words[1], text: 'are', raw: 'ARE' }, { ...words[2], text: 'you?', raw: 'YOU' }];
    expect(await chunks.punctuate(words, 'en', never)).toEqual({ words: expected, isPunctuated: true, warnings: [] });
  });

  it('gives the bare words back, with a warning, when the model fails', async () => {
    const { chunks, warnings } = using(() => Promise.reject(engineFailed('The punctuation model changed words.')));
    expect(await chunks.punctuate(words, 'en', never)).toEqual({ words, warnings: [expect.objectContaining({ code: 'punctuation_failed' })] });
    expect(warnings).toEqual(['punctuation failed, so rules write it']);
  });

  it('leaves words of other languages, and of an unknown one, without a warning', async () => {
    const { chunks } = using(() => Promise.resolve(undefined));
    expect(await chunks.punctuate(words, 'de', never)).toEqual({ words, warnings: [] });
    expect(await chunks.punctuate(words, undefined, never)).toEqual({ words, warnings: [] });
  });

  it('ends with the job', async () => {
    const abort = new AbortController();
    const { chunks } = using(() => {
      abort.abort();
      return Promise.reject(engineFailed('ended'));
    });
    await expect(chunks.punctuate(words, 'en', abort.signal)).rejects.toThrow('ended');
  });
});
