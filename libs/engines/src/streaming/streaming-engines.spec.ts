import { afterAll, describe, expect, it } from '@jest/globals';
import { speechEnginesFromSettings } from '../speech/speech-engines.js';
import { streamingEnginesFromSettings, type StreamingEngineSettings, type StreamingEngines } from './streaming-engines.js';

const made: StreamingEngines[] = [];
const chunkEngines = speechEnginesFromSettings({ SPEECH_ENGINE_URL: 'fixture:', SPEECH_ENGINES: 'careful=fixture:?language=de' });
afterAll(async () => {
  await Promise.all(made.map((engines) => engines.close()));
  await chunkEngines.close();
});

function enginesOf(settings: StreamingEngineSettings): StreamingEngines {
  const engines = streamingEnginesFromSettings(settings, chunkEngines);
  made.push(engines);
  return engines;
}

const problemOf = (url: string): string => {
  try {
    enginesOf({ LIVE_ENGINE_URL: url });
    return '';
  } catch (error) {
    return String((error as Error).message);
  }
};

describe('StreamingEngines', () => {
  it('streams with the speech engine of the model, or with the default one', () => {
    const engines = enginesOf({});
    expect(engines.find(undefined)).toMatchObject({ recognizer: { mode: 'local_agreement' } });
    expect(engines.find('careful')).toMatchObject({ recognizer: { mode: 'local_agreement' } });
    expect(engines.find('careful')).toBe(engines.find('careful'));
    expect(engines.find('unknown')).toBeUndefined();
  });

  it('streams with the engine of LIVE_ENGINE_URL where no model is named', () => {
    const engines = enginesOf({ LIVE_ENGINE_URL: 'openai-realtime+https://speech.example/v1?model=gpt-live-transcribe' });
    expect(engines.find(undefined)).toMatchObject({ name: 'openai-realtime:gpt-live-transcribe', recognizer: { mode: 'native' }, formatsText: true });
    expect(engines.find('careful')).toMatchObject({ recognizer: { mode: 'local_agreement' } });
    expect(engines.find('default')).toMatchObject({ recognizer: { mode: 'local_agreement' } });
  });

  it('knows the streaming models of the catalogue by name', () => {
    expect(enginesOf({ LIVE_ENGINE_URL: 'sherpa-online:zipformer-streaming-en' }).find(undefined)).toMatchObject({
      name: 'sherpa-online:zipformer-streaming-en',
      languages: ['en'],
      recognizer: { mode: 'native' },
    });
  });

  it.each([
    ['pocketsphinx:', /unknown scheme/],
    ['sherpa-online:whisper-tiny', /unknown streaming model/],
    ['sherpa-online:zipformer-streaming-en?threds=1', /threds/],
    ['openai-realtime+https://user:hunter2@speech.example/v1', /give the key as LIVE_ENGINE_API_KEY/],
    ['openai-realtime+https://speech.example/v1?rate=8000&token=hunter2', /rate/],
    ['hunter2', /not a URL/],
  ])('says what is wrong with %s, without the URL', (url, reason) => {
    expect(problemOf(url)).toMatch(reason);
    expect(problemOf(url)).toContain('LIVE_ENGINE_URL');
    expect(problemOf(url)).not.toContain('hunter2');
  });
});
