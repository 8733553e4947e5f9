import type { TextEmbedder } from '@parlance/engines';
import { isQuestion, TermReader } from '@parlance/text-analysis';
import { type ChatEngine, type ChatEvent, type ChatQuestion, type ChatTurn, type SourceLine } from './chat-engine.js';
import { notFoundAnswer } from './not-found-answer.js';
import { knowsLanguage } from '../indexing/transcript-indexer.js';

/**
 * Minimum similarity of a line and the question, by meaning (cosine) and by words (the share of shared words, rare ones weigh more).
 * Tuned on every second question of bench/search-quality/chat.txt.
 */
const THRESHOLD = 0.3;
const WORDS_WEIGHT = 0.5;
/** The weight of the lines around a line, since a line alone often says too little. */
const PASSAGE_WEIGHT = 0.35;
const MAX_CITED = 3;
/** Further lines are cited when their score is at least this share of the best one. */
const NEARLY = 0.85;
/** Matches a message that can only be understood after an earlier one. */
const REFERS_BACK = /\b(?:it|its|that|this|they|them|their|he|him|his|she|her|there|those|these)\b/i;
const BEGINS_AS_FOLLOW_UP = /^(?:and|but|so|what about|how about|why|who|when|where|how (?:much|many|long))\b/i;
/** Maximum characters of such a message after its beginning. */
const FOLLOW_UP_LENGTH = 40;

function refersBack(message: string): boolean {
  const beginning = BEGINS_AS_FOLLOW_UP.exec(message)?.[0];
  const isShort = beginning !== undefined && !message.includes('\n') && message.length - beginning.length <= FOLLOW_UP_LENGTH;
  return isShort || REFERS_BACK.test(message);
}

/** Answers offline with the lines nearest to the question, verbatim. */
export class ExtractiveChat implements ChatEngine {
  readonly name = 'built-in-extractive-v1';

  constructor(private readonly embedder: TextEmbedder) {}

  async roomForLines(): Promise<undefined> {}

  async standalone(message: string, history: readonly ChatTurn[]): Promise<string> {
    const before = history.at(-1);
    return before && refersBack(message) ? `${before.message} ${message}` : message;
  }

  async *answer({ message, history, lines, signal }: ChatQuestion): AsyncGenerator<ChatEvent> {
    const question = await this.standalone(message, history);
    const scored = withoutQuestions(await this.scored(question, lines, signal), message);
    const best = scored.reduce((most, { score }) => Math.max(most, score), 0);
    if (best < THRESHOLD) {
      yield { type: 'delta', text: await notFoundAnswer(message) };
      yield { type: 'end', cited: [] };
      return;
    }
    const cited = scored
      .filter(({ score }) => score >= best * NEARLY)
      .slice(0, MAX_CITED)
      .map(({ line }) => line);
    yield { type: 'delta', text: cited.map(spoken).join('\n') };
    yield { type: 'end', cited };
  }

  /** The best first. */
  async scored(question: string, lines: readonly SourceLine[], signal: AbortSignal): Promise<ScoredLine[]> {
    const passages = [...Map.groupBy(lines, ({ passage }) => passage).values()];
    const words = await WordOverlap.of(question, lines);
    const meaning = await this.likeness(question, [...lines.map(({ text }) => text), ...passages.map(joined)], lines, signal);
    const passageScores = new Map(passages.map((passage, index) => [passage[0]?.passage, score(meaning[lines.length + index], words.of(joined(passage)))]));
    return lines
      .map((line, index) => {
        const alone = score(meaning[index], words.of(line.text));
        return { line, score: (1 - PASSAGE_WEIGHT) * alone + PASSAGE_WEIGHT * (passageScores.get(line.passage) ?? alone) };
      })
      .toSorted((a, b) => b.score - a.score);
  }

  /** Cosines with the question; undefined where the engine does not know the language. */
  private async likeness(question: string, texts: readonly string[], lines: readonly SourceLine[], signal: AbortSignal): Promise<(number | undefined)[]> {
    if (!lines.some(({ language }) => knowsLanguage(this.embedder, language))) return [];
    const [asked] = await this.embedder.embed({ texts: [question], purpose: 'query', signal });
    if (!asked) return [];
    const vectors = await this.embedder.embed({ texts, purpose: 'passage', signal });
    return vectors.map((vector) => vector && dot(asked, vector));
  }
}

/** Matches a message about what was asked. */
const ABOUT_QUESTIONS = /\b(?:ask(?:s|ed|ing)?|questions?)\b/i;
const TAG_QUESTION = /,\s*[\p{L}'’ ]{1,20}\?$/u;

const isAsking = ({ text }: SourceLine): boolean => (text.trim().match(/[^.?!]+[.?!]*/g) ?? []).every((sentence) => isQuestion(sentence.trim()) && !TAG_QUESTION.test(sentence.trim()));

interface ScoredLine {
  line: SourceLine;
  score: number;
}

/** A question is no answer: its score is that of the next line, where it is higher, unless the message is about questions. */
function withoutQuestions(scored: readonly ScoredLine[], message: string): ScoredLine[] {
  if (ABOUT_QUESTIONS.test(message)) return [...scored];
  const inOrder = scored.toSorted((one, other) => one.line.passage - other.line.passage || one.line.start - other.line.start);
  let asked: ScoredLine | undefined;
  const answers = inOrder.flatMap((each) => {
    if (isAsking(each.line)) {
      asked = each;
      return [];
    }
    const answered = asked?.line.passage === each.line.passage && asked.line.jobId === each.line.jobId ? asked.score : 0;
    asked = undefined;
    return [{ ...each, score: Math.max(each.score, answered) }];
  });
  return answers.toSorted((one, other) => other.score - one.score);
}

const score = (meaning: number | undefined, words: number): number => (meaning === undefined ? words : (1 - WORDS_WEIGHT) * Math.max(0, meaning) + WORDS_WEIGHT * words);

const dot = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, index) => sum + value * (b[index] as number), 0);

const joined = (lines: readonly SourceLine[]): string => lines.map(({ text }) => text).join(' ');

/** A line with its speaker and time, as it is shown in an answer. */
function spoken({ speaker, start, text }: SourceLine): string {
  const seconds = Math.floor(start);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const time = `${hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}` : minutes}:${String(seconds % 60).padStart(2, '0')}`;
  return `${speaker === undefined ? time : `${speaker} (${time})`}: “${text.trim()}”`;
}

/** Measures the share of a question's words that a text contains, 0 to 1. */
class WordOverlap {
  private constructor(
    private readonly reader: TermReader,
    private readonly weights: ReadonlyMap<string, number>,
  ) {}

  static async of(question: string, lines: readonly SourceLine[]): Promise<WordOverlap> {
    const reader = await TermReader.of(lines[0]?.language ?? 'und');
    const texts = lines.map(({ text }) => new Set(reader.terms(text).map(({ stem }) => stem)));
    const asked = new Set(reader.terms(question).map(({ stem }) => stem));
    const rarity = (stem: string) => Math.log(1 + (texts.length + 1) / (1 + texts.filter((stems) => stems.has(stem)).length));
    return new WordOverlap(reader, new Map([...asked].map((stem) => [stem, rarity(stem)])));
  }

  of(text: string): number {
    const total = [...this.weights.values()].reduce((sum, weight) => sum + weight, 0);
    if (total === 0) return 0;
    const there = new Set(this.reader.terms(text).map(({ stem }) => stem));
    return [...this.weights].reduce((sum, [stem, weight]) => sum + (there.has(stem) ? weight : 0), 0) / total;
  }
}
