import type { transcripts } from '@parlance/contracts';
import { joinWords, occurrencesOf, paragraphsOf, sentencesOf, wordIdOf, type Sentence } from '@parlance/transcript';
import { speakerName } from '../speaker-letters.js';

/** A word in AssemblyAI's form; times are in milliseconds. */
interface WordJson {
  text: string;
  start: number;
  end: number;
  confidence: number;
  speaker: string | null;
  channel?: string;
}

/** Consecutive words of one speaker, or a sentence or paragraph. */
interface StretchJson extends WordJson {
  words: WordJson[];
}

interface MatchJson {
  text: string;
  count: number;
  timestamps: [number, number][];
  indexes: number[];
}

/** Clients require a number; this one is given where the engine has none. */
const NEUTRAL_CONFIDENCE = 1;

const milliseconds = (seconds: number): number => Math.round(seconds * 1000);

/** The mean confidence of words. */
export const meanConfidence = (words: readonly WordJson[]): number => (words.length === 0 ? NEUTRAL_CONFIDENCE : words.reduce((sum, { confidence }) => sum + confidence, 0) / words.length);

/** The words of a transcript, and what is read of them, in AssemblyAI's form. */
export class SpokenWords {
  readonly words: WordJson[] = [];
  private readonly indexes = new Map<string, number>();

  /** @param speakers of the transcript; undefined when the client did not request them */
  constructor(
    private readonly segments: readonly transcripts.Segment[],
    private readonly speakers: readonly transcripts.Speaker[] | undefined,
  ) {
    for (const segment of segments) {
      for (const [index, word] of segment.words.entries()) {
        this.indexes.set(wordIdOf(segment.segmentId, word, index), this.words.length);
        this.words.push({ ...this.spoken({ ...segment, ...word, speakerId: word.speakerId ?? segment.speakerId, channel: word.channel ?? segment.channel }), confidence: word.confidence ?? NEUTRAL_CONFIDENCE });
      }
    }
  }

  /** The turns of speakers, or of channels. */
  *utterances(): Generator<StretchJson> {
    let turn: transcripts.Segment[] = [];
    for (const segment of this.segments) {
      const last = turn.at(-1);
      if (last && (last.speakerId !== segment.speakerId || last.channel !== segment.channel)) {
        yield this.turn(turn);
        turn = [];
      }
      turn.push(segment);
    }
    if (turn.length > 0) yield this.turn(turn);
  }

  async sentences(): Promise<StretchJson[]> {
    return this.stretches(sentencesOf(this.segments));
  }

  async paragraphs(): Promise<StretchJson[]> {
    return this.stretches(paragraphsOf(sentencesOf(this.segments), { speakers: this.speakers !== undefined }));
  }

  /** The places of the phrases; phrases that are not said have no match. */
  async matches(phrases: readonly string[]): Promise<MatchJson[]> {
    const matches = phrases.map((text): MatchJson => ({ text, count: 0, timestamps: [], indexes: [] }));
    for await (const { phrase, start, end, wordIds } of occurrencesOf(this.segments, phrases)) {
      const match = matches[phrase];
      if (!match) continue;
      match.count += 1;
      match.timestamps.push([milliseconds(start), milliseconds(end)]);
      match.indexes.push(this.indexes.get(wordIds[0] ?? '') ?? 0);
    }
    return matches.filter(({ count }) => count > 0);
  }

  private turn(segments: readonly transcripts.Segment[]): StretchJson {
    const words = segments.flatMap(({ segmentId, words: own }) => own.flatMap((word, index) => this.words[this.indexes.get(wordIdOf(segmentId, word, index)) ?? -1] ?? []));
    return this.stretch({ start: segments[0]?.start ?? 0, end: Math.max(...segments.map(({ end }) => end)), text: joinWords(segments), speakerId: segments[0]?.speakerId, channel: segments[0]?.channel }, words);
  }

  private async stretches(parts: AsyncIterable<Sentence>): Promise<StretchJson[]> {
    const found: StretchJson[] = [];
    for await (const part of parts) {
      const [first, last] = [this.indexes.get(part.firstWordId ?? ''), this.indexes.get(part.lastWordId ?? '')];
      found.push(this.stretch(part, first === undefined || last === undefined ? [] : this.words.slice(first, last + 1)));
    }
    return found;
  }

  private stretch(part: Spoken, words: WordJson[]): StretchJson {
    return { ...this.spoken(part), confidence: meanConfidence(words), words };
  }

  private spoken({ text, start, end, speakerId, channel }: Spoken): Omit<WordJson, 'confidence'> {
    const speaker = this.speakers === undefined || speakerId === undefined ? null : speakerName(speakerId, this.speakers);
    return { text, start: milliseconds(start), end: milliseconds(end), speaker, ...(channel !== undefined && { channel: String(channel + 1) }) };
  }
}

type Spoken = Pick<Sentence, 'text' | 'start' | 'end' | 'speakerId' | 'channel'>;
