import stringWidth from 'string-width';

interface BarState {
  name: string;
  stage: string;
  percent: number;
}

const MIN_BAR = 5;
const MAX_BAR = 40;
/** As wide as the longest stage, so that bars are of one length. */
const STAGE_COLUMNS = 13;
const MAX_NAME = 48;
/** The indent, the gaps, and ` 100%`. */
const FIXED_COLUMNS = 11;

/** A line of fewer columns than the terminal has: one that reaches the last column wraps on some. */
export function barLine({ name, stage, percent }: BarState, columns: number): string {
  const flexible = columns - 1 - FIXED_COLUMNS - STAGE_COLUMNS;
  const bar = Math.min(MAX_BAR, Math.max(MIN_BAR, Math.floor(flexible / 2)));
  const full = Math.round((bar * percent) / 100);
  const label = fitted(name, Math.min(MAX_NAME, Math.max(1, flexible - bar)));
  const line = `  ${label}  ${'█'.repeat(full)}${'░'.repeat(bar - full)} ${String(percent).padStart(3)}%  ${stage}`;
  return stringWidth(line) < columns ? line : cut(line, columns - 1);
}

/** The text in exactly so many columns of a terminal, where a Chinese character takes two. */
export function fitted(text: string, columns: number): string {
  const shown = cut(text.replaceAll(/\p{Cc}/gu, '?'), columns);
  return shown + ' '.repeat(Math.max(0, columns - stringWidth(shown)));
}

const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

function cut(text: string, columns: number): string {
  if (stringWidth(text) <= columns) return text;
  let shown = '';
  for (const { segment } of characters.segment(text)) {
    if (stringWidth(shown + segment) >= columns) break;
    shown += segment;
  }
  return `${shown}…`;
}
