import type { transcripts } from '@parlance/contracts';
import { occurrencesOf, paragraphsOf, sentencesOf, wordIdOf, type Sentence } from '@parlance/transcript';
import { Lookahead } from '../lookahead.js';
import { speakerName } from '../speaker-letters.js';
import { escaped, escapedText, jsonItems, jsonList, plainText, type TranscriptReading } from '../transcript-text.js';

/** A word in AssemblyAI's form; times are in milliseconds. */
interface WordJson {
  text: string;
  start: number;
  end: number;
  confidence: number;
  speaker: string | null;
  channel?: string;
}

interface MatchJson {
  text: string;
  count: number;
  timestamps: [number, number][];
  indexes: number[];
}

interface IdentifiedWord {
  id: string;
  json: WordJson;
}

/** Clients require a number; this one is given where the engine has none. */
const NEUTRAL_CONFIDENCE = 1;
/** The words before the present one whose places among all words are known: more than the phrase of a search has. */
const RECENT_WORDS = 10_000;

const milliseconds = (seconds: number): number => Math.round(seconds * 1000);

/** The mean of confidences. */
class Mean {
  private sum = 0;
  private count = 0;

  add(confidence: number): void {
    this.sum += confidence;
    this.count += 1;
  }

  get value(): number {
    return this.count === 0 ? NEUTRAL_CONFIDENCE : this.sum / this.count;
  }
}

const meanOf = (words: readonly WordJson[]): number => {
  const mean = new Mean();
  for (const { confidence } of words) mean.add(confidence);
  return mean.value;
};

/** Writes the parts of a transcript in AssemblyAI's form, as pieces of JSON, while it is read: the transcript is not held. */
export class SpokenWords {
  /** @param speakers of the transcript; undefined when the client did not request them */
  constructor(
    private readonly reading: Pick<TranscriptReading, 'segments'>,
    private readonly speakers: readonly transcripts.Speaker[] | undefined,
  ) {}

  /** The members `text`, `words` and, behind them, their `confidence`. */
  async *members(): AsyncGenerator<string> {
    yield ',"text":"';
    yield* escapedText(this.reading.segments());
    yield '"';
    const mean = new Mean();
    yield* jsonList('words', this.words(), ({ json }) => {
      mean.add(json.confidence);
      return json;
    });
    yield `,"confidence":${mean.value}`;
  }

  /** The list `utterances`: the turns of speakers, or of channels. A turn may be as long as the recording, so each is read twice at the same time: for its text, then for its words. */
  async *utterances(): AsyncGenerator<string> {
    const texts = new Lookahead(this.reading.segments());
    const words = new Lookahead(this.words());
    try {
      yield ',"utterances":[';
      for (let first = await texts.peek(), count = 0; first; first = await texts.peek(), count += 1) yield* this.turn(first, texts, words, count === 0 ? '' : ',');
      yield ']';
    } finally {
      await Promise.all([texts.close(), words.close()]);
    }
  }

  /** The list of this name and, behind it, the `confidence` of all words. */
  sentences(): AsyncGenerator<string> {
    return this.stretches('sentences', sentencesOf(this.reading.segments()));
  }

  paragraphs(): AsyncGenerator<string> {
    return this.stretches('paragraphs', paragraphsOf(sentencesOf(this.reading.segments()), { speakers: this.speakers !== undefined }));
  }

  /** The places of the phrases; phrases that are not said have no match. @throws the signal's reason once it is aborted */
  async matches(phrases: readonly string[], signal: AbortSignal): Promise<MatchJson[]> {
    const matches = phrases.map((text): MatchJson => ({ text, count: 0, timestamps: [], indexes: [] }));
    const indexes = new Map<string, number>();
    for await (const { phrase, start, end, wordIds } of occurrencesOf(this.indexed(indexes, signal), phrases)) {
      const match = matches[phrase];
      if (!match) continue;
      match.count += 1;
      match.timestamps.push([milliseconds(start), milliseconds(end)]);
      match.indexes.push(indexes.get(wordIds[0] ?? '') ?? 0);
    }
    return matches.filter(({ count }) => count > 0);
  }

  /** The segments. @param indexes gets the places of their words among all words, of which those of long ago are removed */
  private async *indexed(indexes: Map<string, number>, signal: AbortSignal): AsyncGenerator<transcripts.Segment> {
    let count = 0;
    for await (const segment of this.reading.segments()) {
      signal.throwIfAborted();
      for (const [index, word] of segment.words.entries()) indexes.set(wordIdOf(segment.segmentId, word, index), count++);
      for (const id of indexes.keys()) {
        if (indexes.size <= RECENT_WORDS) break;
        indexes.delete(id);
      }
      yield segment;
    }
  }

  private async *turn(first: transcripts.Segment, texts: Lookahead<transcripts.Segment>, words: Lookahead<IdentifiedWord>, before: string): AsyncGenerator<string> {
    const { text: _text, end: _end, ...head } = this.spoken(first);
    let [end, left] = [0, 0];
    async function* segments() {
      for (let next = await texts.peek(); next && !isOtherTurn(first, next); next = await texts.peek()) {
        await texts.take();
        end = Math.max(end, next.end);
        left += next.words.length;
        yield next;
      }
    }
    yield `${before}${JSON.stringify(head).slice(0, -1)},"text":"`;
    for await (const text of plainText(segments())) yield escaped(text);
    const mean = new Mean();
    async function* own() {
      for (; left > 0; left -= 1) {
        const word = await words.take();
        if (!word) return;
        mean.add(word.json.confidence);
        yield word.json;
      }
    }
    yield `","end":${milliseconds(end)},"words":`;
    yield* jsonItems(own(), (word) => word);
    yield `,"confidence":${mean.value}}`;
  }

  /** Each stretch has its words, which are in the order of all words. */
  private async *stretches(name: string, parts: AsyncGenerator<Sentence>): AsyncGenerator<string> {
    const words = new Lookahead(this.words());
    const mean = new Mean();
    const wordsUntil = async (last: string | undefined) => {
      const own: WordJson[] = [];
      for (let word = last === undefined ? undefined : await words.take(); word; word = word.id === last ? undefined : await words.take()) {
        mean.add(word.json.confidence);
        own.push(word.json);
      }
      return own;
    };
    try {
      yield* jsonList(name, this.withWords(parts, wordsUntil), (stretch) => stretch);
      yield `,"confidence":${mean.value}`;
    } finally {
      await words.close();
    }
  }

  private async *withWords(parts: AsyncGenerator<Sentence>, wordsUntil: (last: string | undefined) => Promise<WordJson[]>): AsyncGenerator<object> {
    for await (const part of parts) {
      const words = await wordsUntil(part.lastWordId);
      yield { ...this.spoken(part), confidence: meanOf(words), words };
    }
  }

  private async *words(): AsyncGenerator<IdentifiedWord> {
    for await (const segment of this.reading.segments()) {
      for (const [index, word] of segment.words.entries()) {
        const spoken = this.spoken({ ...segment, ...word, speakerId: word.speakerId ?? segment.speakerId, channel: word.channel ?? segment.channel });
        yield { id: wordIdOf(segment.segmentId, word, index), json: { ...spoken, confidence: word.confidence ?? NEUTRAL_CONFIDENCE } };
      }
    }
  }

  private spoken({ text, start, end, speakerId, channel }: Spoken): Omit<WordJson, 'confidence'> {
    const speaker = this.speakers === undefined || speakerId === undefined ? null : speakerName(speakerId, this.speakers);
    return { text, start: milliseconds(start), end: milliseconds(end), speaker, ...(channel !== undefined && { channel: String(channel + 1) }) };
  }
}

type Spoken = Pick<Sentence, 'text' | 'start' | 'end' | 'speakerId' | 'channel'>;

const isOtherTurn = (one: transcripts.Segment, other: transcripts.Segment): boolean => one.speakerId !== other.speakerId || one.channel !== other.channel;
