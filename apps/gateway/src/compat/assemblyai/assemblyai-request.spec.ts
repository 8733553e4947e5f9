import { describe, expect, it } from '@jest/globals';
import { toAppError } from '@parlance/platform';
import { assemblyAiError } from './assemblyai-error.js';
import { captionWidth, searchedPhrases } from './assemblyai-query.js';
import { assemblyAiRequest } from './assemblyai-request.js';

const audio_url = 'https://example.org/meeting.mp3';
const optionsOf = (body: object) => assemblyAiRequest({ audio_url, ...body }).options;

function refusal(work: () => unknown) {
  try {
    work();
  } catch (error) {
    return toAppError(error).fields?.[0];
  }
  return undefined;
}

describe('a request of AssemblyAI', () => {
  it('has the defaults of AssemblyAI: formatted text without fillers, and no add-ons', () => {
    expect(optionsOf({})).toMatchObject({ diarization: false, summary: false, highlights: false, chapters: false, entities: false, formatting: 'auto', numerals: true, filters: { profanity: 'off', fillers: 'remove' }, metadata: { source: 'assemblyai' } });
  });

  it('is read as Speakr sends it', () => {
    const body = { punctuate: true, format_text: true, language_detection: true, speaker_labels: true, speaker_options: { min_speakers_expected: 2, max_speakers_expected: 4 }, word_boost: ['Parlance'], boost_param: 'default', speech_model: 'best' };
    expect(optionsOf(body)).toMatchObject({ diarization: { min_speakers: 2, max_speakers: 4 }, vocabulary: ['Parlance'] });
  });

  it.each([
    [{ speakers_expected: 3, speaker_labels: true }, { diarization: { min_speakers: 3, max_speakers: 3 } }],
    [{ language_code: 'en_uk' }, { language: 'en-GB' }],
    [{ language_detection: true, language_confidence_threshold: 0.6, language_detection_options: { expected_languages: ['en', 'de'], fallback_language: 'en' } }, { language: { expected: ['en', 'de'], min_confidence: 0.6, fallback: 'en' } }],
    [{ dual_channel: true }, { channels: 'split' }],
    [{ custom_spelling: [{ from: ['parlors', 'par lance'], to: 'Parlance' }] }, { replace: [{ from: 'parlors', to: 'Parlance' }, { from: 'par lance', to: 'Parlance' }] }],
    [{ punctuate: false, format_text: false }, { formatting: 'none', numerals: false }],
    [{ filter_profanity: true, disfluencies: true }, { filters: { profanity: 'mask', fillers: 'off' } }],
    [{ summarization: true, summary_type: 'paragraph', summary_model: 'informative' }, { summary: { format: 'brief' } }],
    [{ auto_chapters: true, entity_detection: true }, { chapters: true, entities: true }],
  ])('translates %j', (body, options) => {
    expect(optionsOf(body)).toMatchObject(options);
  });

  it.each([
    [{ audio_url: 'ftp' }, undefined],
    [{ audio_url: 7 }, '/audio_url'],
    [{ language_code: 'en', language_detection: true }, '/language_code'],
    [{ language_confidence_threshold: 0.5 }, '/language_confidence_threshold'],
    [{ speakers_expected: 2 }, '/speakers_expected'],
    [{ speakers_expected: 0, speaker_labels: true }, '/speakers_expected'],
    [{ language_code: 'en', language_confidence_threshold: 0.5 }, '/language_confidence_threshold'],
    [{ language_code: 'en', language_detection_options: { expected_languages: ['en'] } }, '/language_detection_options'],
    [{ language_detection: true, language_detection_options: { fallback_language: 'en' } }, '/language_detection_options'],
    [{ language_detection: true, language_detection_options: { expected_languages: ['all'], fallback_language: 'en' } }, '/language_detection_options'],
    [{ language_detection_options: { code_switching: true } }, '/language_detection_options'],
    [{ language_detection_options: { expected_languages: ['en', 'de'], fallback_language: 'en', on_low_language_confidence: 'error' } }, '/language_detection_options'],
    [{ speaker_options: { min_speakers_expected: 2 } }, '/speaker_options'],
    [{ speaker_labels: true, speakers_expected: 2, speaker_options: { max_speakers_expected: 4 } }, '/speaker_options'],
    [{ speaker_labels: true, speaker_options: { names: ['Ada'] } }, '/speaker_options'],
    [{ punctuate: false }, '/punctuate'],
    [{ summarization: true, summary_type: 'constructor' }, '/summary_type'],
    [{ webhook_url: 'https://example.org' }, '/webhook_url'],
    [{ speech_understanding: { request: {} } }, '/speech_understanding'],
    [{ custom_topics: true }, '/custom_topics'],
    [{ word_boost: [''] }, '/word_boost/0'],
  ])('names the field of %j', (body, pointer) => {
    expect(refusal(() => assemblyAiRequest({ audio_url, ...body }))?.pointer).toBe(pointer);
  });

  it('refuses a field that has the name of a property of every object, such as constructor', () => {
    expect(refusal(() => assemblyAiRequest(JSON.parse(`{"audio_url":"${audio_url}","constructor":true}`)))?.detail).toBe('This server does not support constructor.');
  });

  it('ignores what is switched off', () => {
    expect(refusal(() => assemblyAiRequest({ audio_url, redact_pii: false, audio_end_at: null, topics: [], webhook_url: '' }))).toBeUndefined();
  });
});

describe('the model of a request of AssemblyAI', () => {
  it('is the first of several, as the client names it', () => {
    expect(assemblyAiRequest({ audio_url, speech_models: ['fast', 'universal'], speech_model: 'best' }).model).toBe('fast');
    expect(assemblyAiRequest({ audio_url, speech_model: 'best' }).model).toBe('best');
    expect(assemblyAiRequest({ audio_url }).model).toBeUndefined();
  });
});

describe('an error of AssemblyAI', () => {
  it('is one text with AssemblyAI’s name of the field', () => {
    const errors = [{ pointer: '/language', code: 'language_unsupported', detail: 'The speech engine does not support fi.' }];
    expect(assemblyAiError({ status: 422, detail: 'The request is invalid.', errors })).toEqual({ status: 400, body: { error: 'language_code: The speech engine does not support fi.' } });
    expect(assemblyAiError({ status: 401, detail: 'The API key is not valid.' })).toEqual({ status: 401, body: { error: 'The API key is not valid.' } });
  });
});

describe('an error of a name of every object', () => {
  it('has that name', () => {
    expect(assemblyAiError({ status: 422, detail: '', errors: [{ pointer: '/__proto__', code: 'invalid_format', detail: 'This name is not allowed.' }] }).body).toEqual({ error: '__proto__: This name is not allowed.' });
  });
});

describe('the query of AssemblyAI', () => {
  it('names words and phrases with commas between them', () => {
    expect(searchedPhrases('foo, bar baz,--,')).toEqual(['foo', 'bar baz']);
    for (const wrong of [undefined, '', '--', 'one two three four five six', Array(51).fill('a').join(',')]) expect(refusal(() => searchedPhrases(wrong))).toMatchObject({ pointer: '/words' });
  });

  it('names the width of captions', () => {
    expect([captionWidth(undefined), captionWidth(''), captionWidth('32')]).toEqual([undefined, undefined, 32]);
    for (const wrong of ['9', '201', 'wide', '20.5']) expect(refusal(() => captionWidth(wrong))).toMatchObject({ pointer: '/chars_per_caption' });
  });
});
