import { expect, it } from '@jest/globals';
import { languageHint } from './language-hint.js';

it.each([
  ['auto', 'Omit the field to have the language detected.'],
  ['AUTO', 'Omit the field to have the language detected.'],
  ['en_US', 'Did you mean en-US?'],
  ['zh_hant_tw', 'Did you mean zh-Hant-TW?'],
  ['english', 'Did you mean en?'],
  ['Deutsch', 'Did you mean de?'],
  ['farsi', 'Did you mean fa?'],
  ['mandarin', 'Did you mean zh?'],
])('guesses what %s as a language means', (text, hint) => {
  expect(languageHint(text)).toBe(hint);
});

it.each(['en', 'de-AT', 'tlh', 'klingon', '', '_', 'constructor'])('has no guess for %j', (text) => {
  expect(languageHint(text)).toBeUndefined();
});
