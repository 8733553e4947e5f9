import { describe, expect, it } from '@jest/globals';
import { openAiRequest } from './openai-request.js';

describe('the fields of a form of OpenAI', () => {
  it('name terms by prompt and keywords, but no sentences', () => {
    expect(openAiRequest({ prompt: 'Parlance, Ada Lovelace. Please write down everything that is said here.', 'keywords[]': ['webm', 'opus'] }).vocabulary).toEqual(['Parlance', 'webm', 'opus']);
    expect(openAiRequest({ prompt: 'Parlance\nAda Lovelace' }).vocabulary).toEqual(['Parlance', 'Ada Lovelace']);
  });

  it('name no speakers without samples of their voices', () => {
    expect(() => openAiRequest({ response_format: 'diarized_json', 'known_speaker_names[]': ['Ada'] })).toThrow('samples of their voices');
    expect(openAiRequest({ 'known_speaker_names[]': ['Ada'] }).speakers).toBe(false);
  });

  it('ask for log probabilities where OpenAI has them', () => {
    expect(openAiRequest({ 'include[]': 'logprobs' }).logprobs).toBe(true);
    for (const fields of [{ response_format: 'verbose_json' }, { model: 'gpt-4o-transcribe-diarize' }] as Record<string, string>[]) expect(() => openAiRequest({ ...fields, include: 'logprobs' })).toThrow('format json');
    expect(() => openAiRequest({ include: 'tokens' })).toThrow('Choose logprobs.');
  });

  it.each([
    ['german', 'de'],
    ['pt_BR', 'pt-BR'],
    ['zh', 'zh'],
    ['auto', undefined],
    ['', undefined],
  ])('have the language %p as %p', (language, expected) => {
    expect(openAiRequest({ language }).language).toBe(expected);
  });
});
