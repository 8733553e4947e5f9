import type { ShapedPiece } from '../layout/shaped-piece.js';

const MARK = /\p{M}/u;

/**
 * Whether a piece must carry its text beside its glyphs to be copied whole: where its script reorders (Devanagari's short i
 * stands before its consonant), and where marks are set above others, which readers place by their own lights.
 * Not from right to left: poppler turns such a text around once more.
 */
export function needsActualText({ text, run, level }: Pick<ShapedPiece, 'text' | 'run' | 'level'>): boolean {
  if (level % 2 === 1) return false;
  return MARK.test(text) || run.glyphs.map(({ codePoints }) => String.fromCodePoint(...codePoints)).join('') !== text;
}
