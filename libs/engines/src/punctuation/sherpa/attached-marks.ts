/** A word as the model wrote it, and the marks behind it. */
export interface MarkedWord {
  text: string;
  marks: string;
}

const MARK = /[,.?!:;，。？！：；、]/u;
const SPACE = /\s/u;
const ENDS_CHINESE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/u;
/** Forms of the marks in scripts with spaces. */
const ASCII: Readonly<Record<string, string>> = { '，': ',', '、': ',', '。': '.', '？': '?', '！': '!', '：': ':', '；': ';' };

/**
 * The marks that a model put behind each word. Spaces do not count: a model parts words of Chinese in its own way.
 * @returns undefined when the output has other words, apart from case
 */
export function attachedMarks(words: readonly string[], output: string): MarkedWord[] | undefined {
  const written = [...output].filter((character) => !SPACE.test(character));
  const marked: MarkedWord[] = [];
  let at = 0;
  for (const [index, word] of words.entries()) {
    const length = [...word].filter((character) => !SPACE.test(character)).length;
    const text = written.slice(at, at + length).join('');
    if (text.toLowerCase() !== word.replaceAll(/\s/gu, '').toLowerCase()) return undefined;
    at += length;
    const begins = [...(words[index + 1] ?? '')][0];
    let marks = '';
    for (let next = written[at]; next !== undefined && MARK.test(next) && next !== begins; next = written[++at]) marks += next;
    marked.push({ text, marks: ENDS_CHINESE.test(word) ? marks : [...marks].map((mark) => ASCII[mark] ?? mark).join('') });
  }
  return at === written.length ? marked : undefined;
}
