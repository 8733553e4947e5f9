// Reads what the check of documents needs from a Markdown page.

/** @returns the lines of a page with code blocks and code spans blanked, so that examples are not taken for links */
export function proseLines(text) {
  let inBlock = false;
  return text.split('\n').map((line) => {
    const isFence = /^\s*(?:```|~~~)/u.test(line);
    if (isFence) inBlock = !inBlock;
    return isFence || inBlock ? '' : line.replaceAll(/`[^`]*`/gu, (code) => ' '.repeat(code.length));
  });
}

/** @returns the links of a line; the text is that of the original line, code spans included */
export function linksIn(prose, original) {
  const links = [];
  for (const match of prose.matchAll(/\]\(([^()\s]+)(?:\s+"[^"]*")?\)/gu)) {
    const start = original.lastIndexOf('[', match.index);
    links.push({ text: original.slice(start + 1, match.index), target: match[1] });
  }
  return links;
}

/** @returns the anchors that GitHub makes of the headings */
export function anchorsOf(text) {
  const seen = new Map();
  const anchors = new Set();
  let inBlock = false;
  for (const line of text.split('\n')) {
    if (/^\s*(?:```|~~~)/u.test(line)) inBlock = !inBlock;
    const heading = inBlock ? undefined : /^#{1,6}\s+(\S.*)$/u.exec(line)?.[1];
    if (heading === undefined) continue;
    const slug = slugOf(heading);
    const before = seen.get(slug) ?? 0;
    seen.set(slug, before + 1);
    anchors.add(before === 0 ? slug : `${slug}-${before}`);
  }
  return anchors;
}

const slugOf = (heading) =>
  heading
    .replaceAll(/\]\([^()]*\)/gu, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/gu, '-');

/** @returns the numbers of decisions that a text names: "decision 12", "decisions 4 and 7", "ADR 3", "docs/decisions/0012" */
export function decisionNumbersIn(text) {
  const withoutLinks = text.replaceAll(/\]\([^()]*\)/gu, '').replaceAll('[', '');
  const named = [...withoutLinks.matchAll(/\b(?:decisions?|ADR)\s+((?:00\d\d|\d{1,3})\b(?:(?:, and |, | and )(?:00\d\d|\d{1,3})\b)*)/giu)].flatMap(([, list]) => numbersIn(list));
  const paths = [...text.matchAll(/decisions\/(\d{4})\b/gu)].map(([, number]) => Number(number));
  return [...named, ...paths];
}

const numbersIn = (list) => [...list.matchAll(/\d+/gu)].map(([number]) => Number(number));
