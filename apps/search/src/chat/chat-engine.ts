import type { SpokenLine } from '@parlance/text-analysis';

/** A segment that may answer, of whichever transcript. */
export interface SourceLine extends SpokenLine {
  jobId: string;
  /** BCP 47, of its transcript. */
  language: string;
  /** As it is called now. */
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
  /** What was said before in this conversation, the oldest first. */
  history: readonly ChatTurn[];
  /** The most promising passage first; the whole transcript where it is short. */
  lines: readonly SourceLine[];
  signal: AbortSignal;
}

/** Pieces of the answer in order, then once which lines bear it out: none when the transcripts do not tell. */
export type ChatEvent = { type: 'delta'; text: string } | { type: 'end'; cited: readonly SourceLine[] };

/** Answers by lines of transcripts, and by nothing else. Throws AppError as language models and embedders do. */
export interface ChatEngine {
  readonly name: string;
  /** Tokens of lines (as `numbered`) that it can read at once beside the conversation; undefined: it needs only what search finds. */
  roomForLines(message: string, history: readonly ChatTurn[]): Promise<number | undefined>;
  /** What to search for: the message, made to stand without the history. */
  standalone(message: string, history: readonly ChatTurn[], signal: AbortSignal): Promise<string>;
  answer(question: ChatQuestion): AsyncIterable<ChatEvent>;
}

/** A line as it is counted: with its number and who speaks. */
export const numbered = ({ speaker = '', text }: SourceLine): string => `[0000] ${speaker}: ${text}`;

/** Said in the place of an answer for which there is nothing. */
export const NOT_FOUND_ANSWER = 'I did not find an answer in the transcripts.';
