import { readFileSync } from 'node:fs';

const read = (name) => readFileSync(new URL(name, import.meta.url), 'utf8').split('\n');

/**
 * Conversations written for this measure, and questions about them in other words than theirs. A line of a conversation is a turn.
 * @returns {{transcripts: {id: string, title: string, turns: {id: string, speaker: string, text: string}[]}[], queries: Query[], names: Query[]}}
 *   `queries` ask by meaning, `names` for words as they were said or nearly so
 * @typedef {{text: string, grades: Map<string, number>, isHeldOut: boolean}} Query
 */
export function labelledSet() {
  return { transcripts: transcriptsOf(read('transcripts.txt')), queries: queriesOf('queries.txt'), names: queriesOf('names.txt') };
}

/**
 * Telephone calls and meetings in plain speech, with questions in whole sentences: their common words are in many
 * passages that do not answer them.
 * @returns {{transcripts: object[], queries: Query[]}} as in `labelledSet`
 */
export function callsSet() {
  return { transcripts: transcriptsOf(read('calls.txt')), queries: queriesOf('calls-queries.txt') };
}

/** The questions of `chatQuestions` that a turn answers, asked to all transcripts. @returns {Query[]} */
export const answeredChatQuestions = () =>
  chatQuestions()
    .filter(({ turn }) => turn !== undefined)
    .map(({ text, turn }, index) => ({ text, grades: new Map([[turn, 2]]), isHeldOut: index % 2 === 1 }));

const queriesOf = (file) => read(file).filter((line) => line !== '').map(queryOf);

function transcriptsOf(lines) {
  const transcripts = [];
  for (const line of lines) {
    const [, id, title] = /^== (\S+) (.+)$/.exec(line) ?? [];
    if (id) transcripts.push({ id, title, turns: [] });
    const [, speaker, text] = /^(\w): (.+)$/.exec(line) ?? [];
    const { id: within, turns } = transcripts.at(-1);
    if (text) turns.push({ id: `${within}.${turns.length + 1}`, speaker, text });
  }
  return transcripts;
}

/** `question <tab> turn turn=grade …`; a turn that answers has grade 2, one that belongs to it 1. Every second question was not looked at while tuning. */
function queryOf(line, index) {
  const [text, labels] = line.split('\t');
  const grades = labels.split(' ').map((label) => label.split('=')).map(([turn, grade = '2']) => [turn, Number(grade)]);
  return { text, grades: new Map(grades), isHeldOut: index % 2 === 1 };
}

/**
 * Questions to one transcript, or to all of them.
 * @returns {{scope: string | undefined, text: string, turn: string | undefined, isHeldOut: boolean}[]} `turn`: which one answers; undefined: none
 */
export function chatQuestions() {
  const rows = read('chat.txt').filter((line) => line !== '').map((line) => line.split('\t'));
  // Two by two, as an answerable question is followed by one that is not.
  return rows.map(([scope, text, turn], index) => ({ scope: scope === '*' ? undefined : scope, text, turn: turn === '-' ? undefined : turn, isHeldOut: index % 4 > 1 }));
}

const DEPTH = 10;

/** Normalised discounted cumulative gain of the first ten (Järvelin and Kekäläinen 2002), with gains of 2^grade − 1. @param found turns, the best first */
export function ndcg(found, grades) {
  const ranked = [...new Set(found)].slice(0, DEPTH).map((turn) => grades.get(turn) ?? 0);
  return gain(ranked) / gain([...grades.values()].toSorted((a, b) => b - a).slice(0, DEPTH));
}

const gain = (grades) => grades.reduce((sum, grade, rank) => sum + (2 ** grade - 1) / Math.log2(rank + 2), 0);

/** Sentences as segments, as transcripts have them: five seconds each. */
export function segmentsOf({ turns }) {
  const spoken = turns.flatMap(({ id, speaker, text }) => text.match(/[^.?!]+[.?!]+/g).map((sentence) => ({ turn: id, speaker, sentence: sentence.trim() })));
  return spoken.map(({ turn, speaker, sentence }, index) => ({
    turn,
    segmentId: `seg_${String(index + 1).padStart(6, '0')}`,
    start: index * 5,
    end: index * 5 + 4.5,
    speakerId: speaker,
    text: sentence,
  }));
}
