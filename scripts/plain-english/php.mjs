const START = /\/\*|\/\/|#(?!\[)|['"]/gu;
const DECLARATION = /(?:\$|\bfunction |\bconst |\bclass |\binterface |\benum )([A-Za-z_]\w*)/gu;

/**
 * Reads the comments, strings and declared names of PHP.
 * @returns {{ ranges: { pos: number, end: number, isLine: boolean }[], strings: { pos: number, text: string }[], names: { pos: number, text: string }[] }}
 */
export function partsOfPhp(text) {
  const ranges = [];
  const strings = [];
  let code = '';
  let at = 0;
  START.lastIndex = 0;
  for (let start = START.exec(text); start !== null; start = START.exec(text)) {
    const [mark] = start;
    const end = endOf(text, start.index, mark);
    if (mark === "'" || mark === '"') strings.push({ pos: start.index, text: text.slice(start.index + 1, end - 1) });
    else ranges.push({ pos: start.index, end, isLine: mark !== '/*' });
    // Blanks keep the positions of the names.
    code += text.slice(at, start.index) + ' '.repeat(end - start.index);
    at = end;
    START.lastIndex = end;
  }
  code += text.slice(at);
  const names = [...code.matchAll(DECLARATION)].map(({ 1: name, index }) => ({ pos: index, text: name }));
  return { ranges, strings, names };
}

function endOf(text, start, mark) {
  if (mark === '/*') return after(text, '*/', start);
  if (mark === '//' || mark === '#') return Math.max(after(text, '\n', start) - 1, start + 1);
  let end = start + 1;
  while (end < text.length && text[end] !== mark) end += text[end] === '\\' ? 2 : 1;
  return Math.min(end + 1, text.length);
}

function after(text, wanted, from) {
  const found = text.indexOf(wanted, from);
  return found === -1 ? text.length + 1 : found + wanted.length;
}
