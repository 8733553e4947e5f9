import type { SpokenLine } from '@parlance/text-analysis';

/** A segment of any transcript that may contain the answer. */
export interface SourceLine extends SpokenLine {
  jobId: string;
  /** The language of its transcript, BCP 47. */
  language: string;
  /** The present name of the speaker. */
  speaker?: string;
  /** Segments with the same number stand together: a passage that was found, with what is around it. */
  passage: number;
}

export interface ChatTurn {
  message: string;
  answer: string;
}

export interface ChatQuestion {
  message: string;
  /** Earlier turns of this conversation, the oldest first. */
  history: readonly ChatTurn[];
  /** The most promising passage first; the whole transcript where it is short. */
  lines: readonly SourceLine[];
  signal: AbortSignal;
}

/** Pieces of the answer in order, then once the lines that support it: none when the transcripts do not contain an answer. */
export type ChatEvent = { type: 'delta'; text: string } | { type: 'end'; cited: readonly SourceLine[] };

/** Answers from lines of transcripts, and from nothing else. Throws AppError as language models and embedders do. */
export interface ChatEngine {
  readonly name: string;
  /** Tokens of lines (as `numbered`) that it can read at once beside the conversation; undefined: it needs only what search finds. */
  roomForLines(message: string, history: readonly ChatTurn[]): Promise<number | undefined>;
  /** @returns the text to search for: the message, reworded so that it can be understood without the history */
  standalone(message: string, history: readonly ChatTurn[], signal: AbortSignal): Promise<string>;
  answer(question: ChatQuestion): AsyncIterable<ChatEvent>;
}

/** The text by which the tokens of a line are counted: with its number and its speaker. */
export const numbered = ({ speaker = '', text }: SourceLine): string => `[0000] ${speaker}: ${text}`;
