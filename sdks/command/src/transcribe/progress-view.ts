import { clearScreenDown, moveCursor } from 'node:readline';
import stringWidth from 'string-width';
import type { Context } from '../context.js';

/** Says how far a recording is: percent from 0 to 100, and the stage it is in. */
export interface ProgressLine {
  update(percent: number, stage: string): void;
  /** Removes the bar of a recording that is done. */
  end(): void;
}

/** Shows how far each recording is: bars on a terminal, nothing elsewhere. */
export interface ProgressView {
  add(name: string): ProgressLine;
  /** Writes to stdout or stderr above the bars. */
  above(write: () => void): void;
  end(): void;
}

export function progressView({ terminal, streams }: Context): ProgressView {
  if (terminal.isInteractive) {
    const view = new BarProgressView(streams.stderr);
    terminal.above = (write) => view.above(write);
    return view;
  }
  const silent = { update: () => undefined, end: () => undefined };
  return { add: () => silent, above: (write) => write(), end: () => undefined };
}

const REDRAW_MS = 100;

class BarProgressView implements ProgressView {
  readonly #bars = new Set<BarState>();
  readonly #timer: ReturnType<typeof setInterval>;
  /** The lines of bars above the cursor. */
  #lines = 0;

  constructor(private readonly stream: NodeJS.WriteStream) {
    this.#timer = setInterval(() => this.above(() => undefined), REDRAW_MS);
  }

  add(name: string): ProgressLine {
    const bar: BarState = { name, stage: '', percent: 0 };
    this.#bars.add(bar);
    return { update: (percent, stage) => void Object.assign(bar, { percent: Math.floor(percent), stage }), end: () => this.above(() => this.#bars.delete(bar)) };
  }

  above(write: () => void): void {
    moveCursor(this.stream, 0, -this.#lines);
    clearScreenDown(this.stream);
    write();
    const lines = [...this.#bars].slice(-Math.max(1, (this.stream.rows || 24) - 2)).map((bar) => `${barLine(bar, this.stream.columns || 80)}\n`);
    this.stream.write(lines.join(''));
    this.#lines = lines.length;
  }

  end(): void {
    clearInterval(this.#timer);
    this.#bars.clear();
    this.above(() => undefined);
  }
}

interface BarState {
  name: string;
  stage: string;
  percent: number;
}

const STAGE_COLUMNS = 13;
/** The gaps, and ` 100%`. */
const FIXED_COLUMNS = 9;

/** A line of fewer columns than the terminal has: one that reaches the last column wraps on some. */
export function barLine({ name, stage, percent }: BarState, columns: number): string {
  const room = Math.max(columns - 1 - FIXED_COLUMNS - STAGE_COLUMNS, 10);
  const bar = Math.min(40, Math.floor(room / 2));
  const full = Math.round((bar * percent) / 100);
  return `${fitted(name, Math.min(40, room - bar))}  ${'█'.repeat(full)}${'░'.repeat(bar - full)} ${String(percent).padStart(3)}%  ${fitted(stage, STAGE_COLUMNS).trimEnd()}`;
}

const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** The text in exactly so many columns, where a Chinese character takes two. */
function fitted(text: string, columns: number): string {
  const printable = text.replaceAll(/\p{Cc}/gu, '?');
  if (stringWidth(printable) <= columns) return printable + ' '.repeat(columns - stringWidth(printable));
  let shown = '';
  for (const { segment } of characters.segment(printable)) {
    if (stringWidth(shown + segment) >= columns) break;
    shown += segment;
  }
  return `${shown}…${' '.repeat(columns - stringWidth(shown) - 1)}`;
}
