import { expect, it } from '@jest/globals';
import { formValues } from './form-values.js';

it('pairs of metadata stand beside an object of them, and beside null, which is none', () => {
  expect(formValues({ metadata: '{"a":"1"}', 'metadata[b]': '2' })).toEqual({ metadata: { a: '1', b: '2' } });
  expect(formValues({ metadata: 'null', 'metadata[b]': '2' })).toEqual({ metadata: { b: '2' } });
});

it('a boolean of a form is read as JSON, Python and numbers write it', () => {
  for (const [texts, value] of [[['true', 'True', '1'], true], [['false', 'False', '0'], false]] as const) {
    for (const text of texts) expect(formValues({ diarization: text, summary: text, highlights: text })).toEqual({ diarization: value, summary: value, highlights: value });
  }
  expect(formValues({ highlights: 'yes', retention_hours: '1', vocabulary: '1' })).toEqual({ highlights: 'yes', retention_hours: 1, vocabulary: ['1'] });
});
