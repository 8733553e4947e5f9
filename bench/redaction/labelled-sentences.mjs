import { readFile } from 'node:fs/promises';

const LABEL = /\[\[(?<policy>\w+)\|(?<text>[^\]]+)\]\]/gu;

/** The sentences of a file of this folder with their labels; `## TAG` begins those of a language. */
export async function labelledSentences(file) {
  const lines = (await readFile(new URL(file, import.meta.url), 'utf8')).split('\n');
  const sentences = [];
  let language = 'en-US';
  for (const line of lines) {
    if (line.startsWith('## ')) language = line.slice(3).trim();
    else if (line !== '' && !line.startsWith('#')) sentences.push({ language, ...labelled(line) });
  }
  return sentences;
}

function labelled(line) {
  const labels = [];
  let text = '';
  let copied = 0;
  for (const { index, 0: label, groups } of line.matchAll(LABEL)) {
    text += line.slice(copied, index);
    labels.push({ policy: groups.policy, from: text.length, to: text.length + groups.text.length });
    text += groups.text;
    copied = index + label.length;
  }
  return { text: text + line.slice(copied), labels };
}
