/** Unicode's ends of sentences in all scripts, and an ellipsis; closing quotes and brackets may follow. */
const TERMINAL = /[\p{Sentence_Terminal}…][)\]"'»”’」』）】〉》]*$/u;
const ABBREVIATION = /^(?:\p{L}|mr|mrs|ms|dr|prof|st|jr|sr|vs|etc|no|inc|ltd|co|e\.g|i\.e|u\.s|z\.b|bzw|nr)\.$/iu;
const BEGINS_LOWER_CASE = /^\p{Ll}/u;

/** True when a sentence ends between two words; engines without punctuation never end one. */
export const endsSentence = (word: string, next: string | undefined): boolean =>
  TERMINAL.test(word) && !ABBREVIATION.test(word) && !(next !== undefined && BEGINS_LOWER_CASE.test(next));

/** True when a word ends a clause: a comma, a colon, a dash. */
export const endsClause = (word: string): boolean => /[,;:，、；：،؛፣၊–—-][)\]"'»”’」』）】〉》]*$/u.test(word);
