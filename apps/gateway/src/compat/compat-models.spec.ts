import { describe, expect, it } from '@jest/globals';
import type { SpeechModel } from '../languages/speech-models.js';
import { CompatModels, type ModelApi } from './compat-models.js';

const model = (name: string, isDefault = false) => ({ model: name, isDefault }) as SpeechModel;
const modelsOf = (own: string[], unknown: 'refuse' | 'default' = 'refuse') => new CompatModels({ require: async () => [model('default', true), ...own.map((name) => model(name))] }, { OPENAI_UNKNOWN_MODELS: unknown, DEEPGRAM_UNKNOWN_MODELS: unknown });

describe('the models of another vendor’s client', () => {
  it.each<[ModelApi, string]>([
    ['openai', 'whisper-1'],
    ['openai', 'gpt-4o-mini-transcribe-2025-12-15'],
    ['openai', 'gpt-4o-transcribe-diarize'],
    ['openai', 'gpt-realtime-whisper'],
    ['openai', 'gpt-live-transcribe'],
    ['openai', 'whisper-small'],
    ['openai', 'whisper-large-v3-turbo'],
    ['deepgram', 'nova-2-meeting'],
    ['deepgram', 'whisper-large'],
    ['assemblyai', 'universal-3-pro'],
    ['assemblyai', 'slam-1'],
  ])('of %s: %s is the default one, unless this server has a model of that name', async (api, name) => {
    expect(await modelsOf([]).resolve(api, name)).toBeUndefined();
    expect(await modelsOf([name]).resolve(api, name)).toBe(name);
  });

  it.each<[ModelApi, string]>([
    ['openai', 'nova-3'],
    ['openai', 'whisper-9'],
    ['deepgram', 'gpt-4o-transcribe'],
    ['assemblyai', 'whisper-1'],
  ])('of %s do not include %s of another one', async (api, name) => {
    await expect(modelsOf([]).resolve(api, name)).rejects.toMatchObject({ fields: [{ pointer: '/model', code: 'model_unknown' }] });
  });

  it('are the default one when the operator says so', async () => {
    expect(await modelsOf([], 'default').resolve('openai', 'nobody/has-it')).toBeUndefined();
    expect(await modelsOf([], 'default').resolve('deepgram', 'nobody/has-it')).toBeUndefined();
    await expect(modelsOf([], 'default').resolve('assemblyai', 'nobody/has-it')).rejects.toMatchObject({ code: 'model_unknown' });
  });
});
