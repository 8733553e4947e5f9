import { readFile } from 'node:fs/promises';

/** The day on which the sentences were said. */
export const RECORDED_AT = new Date('2026-11-18T10:00:00Z');

const LABEL = /\[\[(?<type>\w+)(?:=(?<normalized>[^|]+))?\|(?<text>[^\]]+)\]\]/gu;

/** The sentences of a file: language, text and its entities with their places. */
export async function labelledEntities(name) {
  const lines = (await readFile(new URL(`./${name}.txt`, import.meta.url), 'utf8')).split('\n');
  const sentences = [];
  let language = 'en-US';
  for (const line of lines) {
    if (line.startsWith('## ')) language = line.slice(3).trim();
    else if (line.trim() !== '' && !line.startsWith('#')) sentences.push({ language, ...labelled(line) });
  }
  return sentences;
}

function labelled(line) {
  const entities = [];
  let text = '';
  let copied = 0;
  for (const { index, 0: label, groups } of line.matchAll(LABEL)) {
    text += line.slice(copied, index);
    const { type, normalized, text: said } = groups;
    entities.push({ type, from: text.length, to: text.length + said.length, ...(normalized !== undefined && { normalized }) });
    text += said;
    copied = index + label.length;
  }
  return { text: text + line.slice(copied), entities };
}
