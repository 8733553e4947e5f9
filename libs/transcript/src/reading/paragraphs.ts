import { isApart, isOtherVoice, joined, type Sentence } from './sentences.js';

/** UTF-16 units after which the next sentence begins a new paragraph. */
const PARAGRAPH_LENGTH = 600;

/** Sentences that are read in one go. */
export interface Paragraph extends Sentence {
  /** True for the first words, and when another speaker spoke before. */
  beginsTurn: boolean;
}

/**
 * A new paragraph at another speaker (unless they are left out), after a pause, and where one grows long. Its place depends on nothing
 * before it but `beginsTurn`. Holds one paragraph.
 */
export async function* paragraphsOf(sentences: AsyncIterable<Sentence>, { speakers }: { speakers: boolean }): AsyncGenerator<Paragraph> {
  let held: Paragraph | undefined;
  let last: Sentence | undefined;
  for await (const sentence of sentences) {
    const next = speakers ? sentence : withoutVoice(sentence);
    const isOther = last === undefined || isOtherVoice(last, next);
    if (held && last && !isApart(last, next) && held.text.length < PARAGRAPH_LENGTH) held = { ...joined(held, next), beginsTurn: held.beginsTurn };
    else {
      if (held) yield held;
      held = { ...next, beginsTurn: isOther };
    }
    last = next;
  }
  if (held) yield held;
}

const withoutVoice = ({ speakerId: _speaker, channel: _channel, ...sentence }: Sentence): Sentence => sentence;
