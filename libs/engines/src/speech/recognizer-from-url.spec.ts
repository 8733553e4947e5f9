import { describe, expect, it } from '@jest/globals';
import { ConfigError } from '@parlance/platform';
import { recognizerFromUrl } from './recognizer-from-url.js';

describe('recognizerFromUrl', () => {
  it.each([
    ['pocketsphinx:', 'pocketsphinx'],
    ['pocketsphinx:?parallelism=1', 'pocketsphinx'],
    ['openai+https://speech.example/v1', 'openai:whisper-1'],
    ['openai+http://localhost:8000/v1?model=large-v3&parallelism=2', 'openai:large-v3'],
    ['sherpa:whisper-large-v3-turbo?parallelism=1&threads=2', 'sherpa:whisper-large-v3-turbo'],
    ['fixture:?delayMs=5&failTimes=1&words=yes,no', 'fixture'],
  ])('%s is the engine %s', (url, name) => {
    expect(recognizerFromUrl(url).info.name).toBe(name);
  });

  it('takes the parallelism from the URL', () => {
    expect(recognizerFromUrl('openai+http://localhost:8000/v1?parallelism=2').info.parallelism).toBe(2);
  });

  it.each([
    ['whisper', 'is not a URL'],
    ['vosk:', "unknown scheme 'vosk:'"],
    ['pocketsphinx:?paralelism=2', 'Unrecognized key'],
    ['pocketsphinx:?parallelism=none', 'parallelism'],
    ['sherpa:', "contains an unknown speech model ''"],
    ['sherpa:whisper-tin', 'parlance-admin models list'],
    ['sherpa:pyannote-segmentation-3.0', 'contains an unknown speech model'],
    ['sherpa:/nowhere', 'cannot be read'],
    ['sherpa:/', 'without a speech model'],
    ['sherpa:whisper-tiny?languages=English', 'languages'],
    ['sherpa:%E0%A4', 'SPEECH_ENGINE_URL: has a %'],
    ['openai+https:///v1', 'SPEECH_ENGINE_URL'],
    ['openai+https://user:secret@host/v1', 'must not contain a user or password'],
  ])('%s stops the start with a clear line', (url, line) => {
    expect(() => recognizerFromUrl(url)).toThrow(ConfigError);
    expect(() => recognizerFromUrl(url)).toThrow(line);
    expect(() => recognizerFromUrl(url)).not.toThrow('secret');
  });
});
