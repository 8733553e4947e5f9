import { describe, expect, it } from '@jest/globals';
import type { DeepgramQuery } from './deepgram-query.js';
import { deepgramRequest, jobOptionsOf } from './deepgram-request.js';

const optionsOf = (query: DeepgramQuery, model?: string) => jobOptionsOf(query, deepgramRequest(query), model);
const refusalOf = (query: DeepgramQuery): unknown => {
  try {
    optionsOf(query);
    return undefined;
  } catch (error) {
    return (error as { fields: { pointer: string }[] }).fields[0]?.pointer;
  }
};

describe('the parameters of a request to Deepgram’s API for recordings', () => {
  it('names a tag that is too long', () => {
    expect(refusalOf({ tag: 'x'.repeat(3000) })).toBe('/tag');
  });

  it('are bare words without hesitation, without any of them', () => {
    expect(deepgramRequest({})).toMatchObject({ formatted: false, diarize: false, multichannel: false, paragraphs: false, utterances: false, utteranceSplit: 0.8 });
    expect(optionsOf({})).toMatchObject({ formatting: 'none', numerals: false, diarization: false, summary: false, highlights: false, filters: { profanity: 'off', fillers: 'remove' }, metadata: { source: 'deepgram' } });
  });

  it('become options of the job', () => {
    const query = { language: 'en_US', punctuate: 'true', diarize_model: 'latest', multichannel: 'true', profanity_filter: 'True', filler_words: 'true', numerals: '1', replace: ['parlors:Parlance'], tag: ['a', 'b'], extra: ['team:sales:west'] };
    expect(optionsOf(query, 'whisper')).toMatchObject({
      model: 'whisper',
      language: 'en-US',
      formatting: 'auto',
      diarization: true,
      channels: 'split',
      numerals: true,
      filters: { profanity: 'mask', fillers: 'off' },
      replace: [{ from: 'parlors', to: 'Parlance' }],
      metadata: { source: 'deepgram', tag: 'a,b', team: 'sales:west' },
    });
  });

  it('have terms with boosts, which are dropped, and without those to suppress', () => {
    expect(optionsOf({ keywords: ['Ada:2', 'Parlance:1.5', 'noise:-10', 'plain'], keyterm: 'customer service' }).vocabulary).toEqual(['Ada', 'Parlance', 'plain', 'customer service']);
  });

  it('limit the detection of the language to those that they name', () => {
    expect(optionsOf({ detect_language: ['en', 'de'] }).language).toEqual({ expected: ['en', 'de'] });
    expect(optionsOf({ detect_language: 'true', language: 'en' }).language).toBeUndefined();
    expect(optionsOf({ language: 'multi' }).language).toBeUndefined();
  });

  it('include the format of smart_format', () => {
    expect(deepgramRequest({ smart_format: 'true' })).toMatchObject({ formatted: true, paragraphs: true });
    expect(optionsOf({ smart_format: 'true' })).toMatchObject({ formatting: 'auto', numerals: true });
  });

  it.each<[string, DeepgramQuery]>([
    ['redact', { redact: 'pci' }],
    ['summarize', { summarize: 'v2' }],
    ['topics', { topics: 'true' }],
    ['sentiment', { sentiment: 'true' }],
    ['callback', { callback: 'https://example.org/hook' }],
    ['alternatives', { alternatives: '3' }],
    ['punctuate', { punctuate: 'often' }],
    ['utt_split', { utt_split: 'long' }],
    ['replace', { replace: 'word:' }],
    ['extra', { extra: 'no colon' }],
    ['extra', { extra: `${'k'.repeat(65)}:v` }],
    ['keyterm', { keyterm: 'x'.repeat(101) }],
    ['language', { language: 'no language' }],
  ])('are refused by the name %s', (name, query) => {
    expect(refusalOf(query)).toBe(`/${name}`);
  });

  it.each([{ redact: 'false' }, { summarize: '' }, { sentiment: '0' }, { mip_opt_out: 'true', version: 'latest', never_heard_of: 'x' }])('may turn off what is not there, and be unknown: %j', (query) => {
    expect(refusalOf(query)).toBeUndefined();
  });
});
