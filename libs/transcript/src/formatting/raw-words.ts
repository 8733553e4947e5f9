import { joinWords } from '../segments/join-words.js';
import type { Word } from '../transcript.js';

/** The engine's words for which a word stands. */
export const rawOf = ({ raw, text }: Word): string => raw ?? text;

/** The word with another text. It keeps the engine's own in `raw`. */
export const rewritten = <W extends Word>(word: W, text: string): W => (text === word.text ? word : { ...word, text, raw: rawOf(word) });

/** The engine's words for which several words stand, as one text. */
export const joinedRaw = (words: readonly Word[]): string => joinWords(words.map((word) => ({ text: rawOf(word) })).filter(({ text }) => text !== ''));
