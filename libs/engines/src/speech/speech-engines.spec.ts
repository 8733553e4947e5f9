import { describe, expect, it } from '@jest/globals';
import { ConfigError } from '@parlance/platform';
import { speechEnginesFromSettings, type SpeechEngineSettings } from './speech-engines.js';

const enginesOf = (settings: Partial<SpeechEngineSettings> = {}) => speechEnginesFromSettings({ SPEECH_ENGINE_URL: 'fixture:', ...settings });
const namesOf = (settings: Partial<SpeechEngineSettings>) => enginesOf(settings).all().map(({ model, recognizer }) => [model, recognizer.info.name]);

function problemsOf(settings: Partial<SpeechEngineSettings>): string {
  try {
    enginesOf(settings);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.join('\n');
    throw error;
  }
  return 'none';
}

describe('the speech engines of a deployment', () => {
  it('are the one of SPEECH_ENGINE_URL, which is the default, and those that have names', () => {
    const engines = enginesOf({ SPEECH_ENGINES: 'careful=openai+https://speech.example/v1?model=large-v3, quick=pocketsphinx:' });
    expect(engines.all().map(({ model, recognizer }) => [model, recognizer.info.name])).toEqual([
      ['default', 'fixture'],
      ['careful', 'openai:large-v3'],
      ['quick', 'pocketsphinx'],
    ]);
    expect(engines.find(undefined)?.model).toBe('default');
    expect(engines.find('quick')?.recognizer.info.name).toBe('pocketsphinx');
    expect(engines.find('other')).toBeUndefined();
  });

  it.each([
    ['commas', 'a=fixture:,b=fixture:'],
    ['spaces', 'a=fixture: b=fixture:'],
    ['lines', 'a=fixture:\nb=fixture:\n'],
    ['a comma at the end', 'a=fixture:, b=fixture:,'],
  ])('may be separated by %s', (_what, list) => {
    expect(namesOf({ SPEECH_ENGINES: list }).map(([model]) => model)).toEqual(['default', 'a', 'b']);
  });

  it('may have commas in their URLs', () => {
    const engines = enginesOf({ SPEECH_ENGINES: 'mine=fixture:?words=one,two&language=de,other=fixture:?language=fr' });
    expect(engines.all().map(({ model }) => model)).toEqual(['default', 'mine', 'other']);
  });

  it('have the price that is configured, and else none', () => {
    const engines = enginesOf({ SPEECH_ENGINES: 'careful=pocketsphinx:', SPEECH_ENGINE_PRICES: 'careful=0.006EUR' });
    expect(engines.all().map(({ price }) => price)).toEqual([undefined, { perMinute: 0.006, currency: 'EUR' }]);
  });

  it.each([
    ['an entry without a name', { SPEECH_ENGINES: 'https://sk-secret@host' }, /SPEECH_ENGINES: entry 1 is not name=value/],
    ['a name twice', { SPEECH_ENGINES: 'a=fixture:,a=fixture:' }, /names 'a' twice/],
    ['the name of the default', { SPEECH_ENGINES: 'default=fixture:' }, /choose another/],
    ['an unknown scheme', { SPEECH_ENGINES: 'a=gopher://sk-secret' }, /SPEECH_ENGINES \(a\): has the unknown scheme/],
    ['a key in a URL', { SPEECH_ENGINES: 'a=openai+https://sk-secret@host/v1' }, /give the key as SPEECH_ENGINE_API_KEYS/],
    ['a key of no engine', { SPEECH_ENGINES: 'a=fixture:', SPEECH_ENGINE_API_KEYS: 'b=sk-secret' }, /SPEECH_ENGINE_API_KEYS: there is no engine 'b'/],
    ['a key of the default', { SPEECH_ENGINE_API_KEYS: 'default=sk-secret' }, /there is no engine 'default'/],
    ['a price without a currency', { SPEECH_ENGINE_PRICES: 'default=0.006' }, /such as 0.006USD/],
  ])('are refused with %s, without repeating a secret', (_what, settings, problem) => {
    expect(problemsOf(settings)).toMatch(problem);
    expect(problemsOf(settings)).not.toContain('secret');
  });
});
