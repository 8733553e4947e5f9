import { describe, expect, it } from '@jest/globals';
import { captionDefault, DOCUMENT_TITLES, TITLES_WITHOUT_ONLY_SPEAKER, TITLES_WITHOUT_TIMES } from './transcript-defaults.js';

describe('the defaults of a transcript in the API description', () => {
  it('are the defaults of captions, with the languages that have others', () => {
    expect(captionDefault('maxLines')).toBe('2');
    expect(captionDefault('maxLineChars')).toBe('42; 16 in `zh`, `yue`, `ja` and `ko`');
    expect(captionDefault('maxCps')).toBe('20; 9 in `zh` and `yue`, 8 in `ja`, 12 in `ko`');
  });

  it('name the formats that differ from the others', () => {
    expect([TITLES_WITHOUT_ONLY_SPEAKER, TITLES_WITHOUT_TIMES, DOCUMENT_TITLES]).toEqual(['text, SRT, TTML, ASS and EBU STL', 'text', 'DOCX and PDF']);
  });
});
