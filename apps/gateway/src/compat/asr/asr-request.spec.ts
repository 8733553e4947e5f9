import { describe, expect, it } from '@jest/globals';
import { toAppError } from '@parlance/platform';
import { asrError } from './asr-error.js';
import { asrRequest, isBarePcm } from './asr-request.js';

const refusal = (query: Record<string, string>) => {
  try {
    asrRequest(query);
  } catch (error) {
    return toAppError(error).fields?.[0];
  }
  return undefined;
};

describe('the query of whisper-asr-webservice', () => {
  it('has the defaults of that service, and ignores unknown parameters', () => {
    expect(asrRequest({ vad_filter: 'true', detect_lang_length: '30' })).toEqual({ output: 'txt', language: undefined, model: undefined, vocabulary: [], words: false, diarization: false, title: undefined });
    expect(isBarePcm({})).toBe(false);
  });

  it('is read as Bazarr sends it', () => {
    const query = { task: 'transcribe', language: 'en', output: 'srt', encode: 'false', video_file: '/media/Films/Metropolis (1927).mkv' };
    expect(asrRequest(query)).toMatchObject({ output: 'srt', language: 'en', title: 'Metropolis (1927).mkv' });
    expect(isBarePcm(query)).toBe(true);
  });

  it('is read as Speakr sends it', () => {
    const query = { encode: 'True', task: 'transcribe', output: 'json', diarize: 'True', enable_diarization: 'True', min_speakers: '2', max_speakers: '4', initial_prompt: 'Parlance, Ada Lovelace', hotwords: 'Babbage' };
    expect(asrRequest(query)).toMatchObject({ output: 'json', words: true, diarization: { min_speakers: 2, max_speakers: 4 }, vocabulary: ['Parlance', 'Ada Lovelace', 'Babbage'] });
  });

  it.each([
    [{ task: 'translate' }, '/task', 'not_supported'],
    [{ task: 'summarize' }, '/task', 'invalid_value'],
    [{ output: 'xml' }, '/output', 'invalid_value'],
    [{ encode: 'true', diarize: 'perhaps' }, '/diarize', 'invalid_value'],
    [{ diarize: 'true', min_speakers: '0' }, '/min_speakers', 'invalid_value'],
    [{ diarize: 'true', min_speakers: '3', max_speakers: '2' }, '/max_speakers', 'invalid_value'],
    [{ language: 'no such language' }, '/language', 'invalid_value'],
    [{ return_speaker_embeddings: 'true' }, '/return_speaker_embeddings', 'not_supported'],
  ])('refuses %p', (query, pointer, code) => {
    expect(refusal(query as unknown as Record<string, string>)).toMatchObject({ pointer, code });
  });
});

describe('an error of whisper-asr-webservice', () => {
  it('lists wrong values as FastAPI does', () => {
    const errors = [{ pointer: '/output', code: 'invalid_value', detail: 'Choose one.' }, { pointer: '/audio_file', code: 'required', detail: 'A file is required.' }];
    expect(asrError({ status: 400, code: 'invalid_request', detail: 'The request is invalid.', errors })).toEqual({
      status: 422,
      body: { detail: [{ type: 'invalid_value', loc: ['query', 'output'], msg: 'Choose one.' }, { type: 'required', loc: ['body', 'audio_file'], msg: 'A file is required.' }] },
    });
  });

  it.each([
    ['the file of a job that failed', { code: 'invalid_request', errors: [{ pointer: '/file', code: 'media_unsupported', detail: 'It is no audio.' }] }],
    ['an upload that is refused', { code: 'media_unsupported' }],
  ] as const)('names audio_file for %s', (_name, problem) => {
    expect(asrError({ status: 422, detail: 'It is no audio.', ...problem, errors: [...('errors' in problem ? problem.errors : [])] })).toEqual({
      status: 422,
      body: { detail: [{ type: 'media_unsupported', loc: ['body', 'audio_file'], msg: 'It is no audio.' }] },
    });
  });

  it('is a text for everything else', () => {
    expect(asrError({ status: 401, code: 'unauthenticated', detail: 'An API key is required.' })).toEqual({ status: 401, body: { detail: 'An API key is required.' } });
  });
});
