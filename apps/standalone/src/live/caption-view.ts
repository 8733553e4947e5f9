import stringWidth from 'string-width';
import type { ServerMessage, ServerMessageOf } from '@parlance/contracts';

/** Shows what is being said: on a terminal in one line that is written over until the final comes, elsewhere in a line for each change. */
interface CaptionView {
  show(message: ServerMessage): void;
  /** Leaves the terminal with whole lines. */
  end(): void;
}

export const captionView = (stream: NodeJS.WriteStream): CaptionView => (stream.isTTY ? new TerminalCaptions(stream) : new LineCaptions(stream));

/** Erases the line: https://www.ecma-international.org/publications-and-standards/standards/ecma-48/ (EL). */
const ERASE_LINE = '\r\u001b[2K';
const DEFAULT_COLUMNS = 80;

class TerminalCaptions implements CaptionView {
  private isOpen = false;

  constructor(private readonly stream: NodeJS.WriteStream) {}

  show(message: ServerMessage): void {
    if (message.type === 'partial') this.rewrite(endOf(`… ${printable(message.text)}`, (this.stream.columns || DEFAULT_COLUMNS) - 1));
    const line = lineOf(message);
    if (line === undefined) return;
    this.end();
    this.stream.write(`${line}\n`);
  }

  end(): void {
    if (this.isOpen) this.stream.write(ERASE_LINE);
    this.isOpen = false;
  }

  private rewrite(text: string): void {
    this.stream.write(`${ERASE_LINE}${text}`);
    this.isOpen = true;
  }
}

class LineCaptions implements CaptionView {
  private last = '';

  constructor(private readonly stream: NodeJS.WriteStream) {}

  show(message: ServerMessage): void {
    const line = message.type === 'partial' ? `       … ${printable(message.text)}` : lineOf(message);
    if (line === undefined || line === this.last) return;
    this.last = line;
    this.stream.write(`${line}\n`);
  }

  end(): void {}
}

/** The line that stays of a message. */
function lineOf(message: ServerMessage): string | undefined {
  if (message.type === 'final') return message.text.trim() === '' ? undefined : finalLine(message);
  if (message.type === 'warning') return `note: ${printable(message.message)}`;
  return undefined;
}

const finalLine = ({ start, text }: ServerMessageOf<'final'>): string => `[${clock(start)}] ${printable(text)}`;

const clock = (seconds: number): string => `${String(Math.floor(seconds / 60)).padStart(2)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;

/** Without the characters that steer a terminal. */
const printable = (text: string): string => text.replaceAll(/\p{Cc}/gu, ' ').trim();

/** The end of a text that is too long for the line: the words that are being said. */
function endOf(text: string, columns: number): string {
  if (stringWidth(text) <= columns) return text;
  const characters = Array.from(text);
  while (stringWidth(characters.join('')) > columns - 2) characters.shift();
  return `… ${characters.join('')}`;
}
