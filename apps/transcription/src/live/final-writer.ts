import { Inject, Injectable } from '@nestjs/common';
import type { common } from '@parlance/contracts';
import type { StreamingEngine, StreamingEvent } from '@parlance/engines';
import { joinWords, writeWords, type MergedWord, type RecognitionOptions } from '@parlance/transcript';
import { Redactions } from '../transcript/redactions.js';
import { ChunkPunctuator } from '../chunks/chunk-punctuator.js';

type Final = Extract<StreamingEvent, { type: 'final' }>;
type Partial = Extract<StreamingEvent, { type: 'partial' }>;
export type Writer = Pick<StreamingEngine, 'formatsText' | 'languages'>;

interface WrittenFinal {
  words: MergedWord[];
  /** A model wrote punctuation and capitals. */
  isPunctuated: boolean;
  warnings: common.Warning[];
}

/** Writes utterances as the transcript will have them: each by itself, so that a final never changes. */
@Injectable()
export class FinalWriter {
  constructor(
    @Inject(ChunkPunctuator) private readonly punctuator: ChunkPunctuator,
    @Inject(Redactions) private readonly redactions: Redactions,
  ) {}

  /** @throws what the abort of the signal means */
  async write({ words: recognized, language: detected }: Final, options: RecognitionOptions, engine: Writer, signal: AbortSignal): Promise<WrittenFinal> {
    const language = options.language ?? onlyLanguage(engine);
    const isBare = options.format === true && !engine.formatsText;
    const { words, isPunctuated, warnings } = isBare ? await this.punctuator.punctuate([...recognized], detected ?? language, signal) : { words: recognized, isPunctuated: undefined, warnings: [] };
    const spoken = words.map((word) => ({ ...word, ...(detected !== undefined && { language: detected }), ...(isPunctuated && { isPunctuated }) }));
    const redactionWarnings: common.Warning[] = [];
    const redact = this.redactions.ofFinal({ ...options, language, signal, onWarning: (warning) => redactionWarnings.push(warning) });
    const finalWords = await written(redact(writeWords(each(spoken), options, { formatsText: engine.formatsText, language })));
    return { words: finalWords, isPunctuated: isPunctuated ?? false, warnings: [...warnings, ...redactionWarnings] };
  }

  /** The partial without the words that the job does not want to read; everything else is written with the final. */
  async filter(partial: Partial, { filters, language }: RecognitionOptions): Promise<Partial> {
    if (!filters) return partial;
    const textOf = async (text: string) => joinWords(await written(writeWords(each(wordsIn(text)), { filters }, { formatsText: true, language })));
    const text = await textOf(partial.text);
    return { ...partial, text, stableCharacters: commonLength(text, await textOf(partial.text.slice(0, partial.stableCharacters))) };
  }
}

const onlyLanguage = ({ languages }: Writer): string | undefined => (languages.length === 1 ? languages[0] : undefined);

const wordsIn = (text: string): MergedWord[] =>
  text
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => ({ start: 0, end: 0, text: word }));

function commonLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

async function written<W>(words: AsyncIterable<W>): Promise<W[]> {
  const all: W[] = [];
  for await (const word of words) all.push(word);
  return all;
}

async function* each<W>(words: readonly W[]): AsyncGenerator<W> {
  yield* words;
}
