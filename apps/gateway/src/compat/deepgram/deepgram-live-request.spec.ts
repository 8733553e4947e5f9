import { describe, expect, it } from '@jest/globals';
import { deepgramLiveRequest, liveBodyOf } from './deepgram-live-request.js';
import type { DeepgramQuery } from './deepgram-query.js';

const bodyOf = (query: DeepgramQuery) => liveBodyOf(query, deepgramLiveRequest(query), undefined);
const refusalOf = (query: DeepgramQuery): unknown => {
  try {
    return bodyOf(query);
  } catch (error) {
    return (error as { fields: { pointer: string }[] }).fields[0]?.pointer;
  }
};

describe('the parameters of a stream of Deepgram’s API', () => {
  it.each<[DeepgramQuery, object]>([
    [{}, { container: 'auto' }],
    [{ encoding: 'opus', sample_rate: '48000' }, { container: 'auto' }],
    [{ encoding: 'linear16', sample_rate: '16000' }, { encoding: 'pcm_s16le', sample_rate: 16_000, channels: 1 }],
    [{ encoding: 'mulaw' }, { encoding: 'mulaw', sample_rate: 8000, channels: 1 }],
    [{ encoding: 'alaw', sample_rate: '16000', channels: '2' }, { encoding: 'alaw', sample_rate: 16_000, channels: 2 }],
  ])('%j are audio as %j', (query, audio) => {
    expect(bodyOf(query).audio).toEqual(audio);
  });

  it.each([
    ['10', 200],
    ['300', 300],
    ['true', 500],
    ['false', 500],
    ['30000', 5000],
  ])('endpointing=%s is a pause of %d ms, within what this server takes', (endpointing, silence) => {
    expect(bodyOf({ endpointing }).endpointing.silence_ms).toBe(silence);
  });

  it('ask for partials by interim_results', () => {
    expect(bodyOf({}).partials).toBe(false);
    expect(bodyOf({ interim_results: 'true' }).partials).toBe(true);
  });

  it.each<[string, DeepgramQuery]>([
    ['diarize', { diarize: 'true' }],
    ['multichannel', { multichannel: 'true', channels: '2' }],
    ['search', { search: 'word' }],
    ['detect_language', { detect_language: 'true' }],
    ['encoding', { encoding: 'g729' }],
    ['sample_rate', { encoding: 'linear16' }],
    ['sample_rate', { encoding: 'linear16', sample_rate: '96000' }],
    ['utterance_end_ms', { utterance_end_ms: '10' }],
    ['redact', { redact: 'true' }],
  ])('are refused by the name %s', (name, query) => {
    expect(refusalOf(query)).toBe(`/${name}`);
  });
});
