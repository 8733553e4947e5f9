import { describe, expect, it } from '@jest/globals';
import { ConfigError } from '@parlance/platform';
import { embedderFromUrl } from './embedder-from-url.js';

describe('embedderFromUrl', () => {
  it.each([
    ['static:', 'static-english-256-v1', 256],
    ['openai+https://models.example/v1?model=bge-m3&maxBatch=32', 'openai:bge-m3:1024', 1024],
    ['openai+http://127.0.0.1:8080/v1/', 'openai:text-embedding-3-small:1536', 1536],
  ])('knows %s', (url, name, dimensions) => {
    expect(embedderFromUrl(url, { dimensions }).info).toMatchObject({ name, dimensions });
  });

  it.each([['nonsense'], ['http://host/v1'], ['static:?speed=9'], ['openai+https://user:secret@host/v1'], ['openai+https:///v1'], ['openai+https://host/v1?maxBatch=0'], ['openai+https://host/v1?modle=x']])(
    'refuses %s in one line without repeating it',
    (url) => {
      const refused = () => embedderFromUrl(url, { dimensions: 256 });
      expect(refused).toThrow(ConfigError);
      expect(refused).toThrow(/^EMBEDDINGS_ENGINE_URL: (?!.*secret).*$/);
    },
  );

  it('says that the built-in has other dimensions', () => {
    expect(() => embedderFromUrl('static:', { dimensions: 128 })).toThrow(/^SEARCH_DIMENSIONS: .*256/);
  });
});
