type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow';

const CODES: Record<Style, number> = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 };

/** A text of the server in one line that cannot control the terminal: control characters are shown as JSON shows them, such as `\u001b`. */
export function printable(text: string): string {
  return text.replaceAll(CONTROL, escaped);
}

/** Cc, the line separators, and the marks that reverse the direction of a text. */
const CONTROL = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu;

function escaped(character: string): string {
  const named = JSON.stringify(character).slice(1, -1);
  return named === character ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}` : named;
}

/** Writes data to stdout and everything else to stderr. */
export class Terminal {
  /** Writes above the bars of a progress view, which sets it. */
  above: (write: () => void) => void = (write) => write();

  constructor(
    private readonly streams: { stdout: NodeJS.WriteStream; stderr: NodeJS.WriteStream },
    private readonly env: NodeJS.ProcessEnv,
    private readonly options: () => { json?: boolean; quiet?: boolean },
  ) {}

  /** True when a person may look at stderr. */
  get isInteractive(): boolean {
    return this.streams.stderr.isTTY === true && !this.options().quiet;
  }

  get isJson(): boolean {
    return this.options().json === true;
  }

  /** A line of data. */
  print(line: string): void {
    this.streams.stdout.write(`${line}\n`);
  }

  /** Data as it is, but for what would control a terminal. */
  write(data: string | Uint8Array): void {
    this.streams.stdout.write(typeof data === 'string' && this.streams.stdout.isTTY ? data.replaceAll(CONTROL, (each) => ('\n\t'.includes(each) ? each : each === '\r' ? '' : escaped(each))) : data);
  }

  /** A value as one line of JSON. Control characters are only within its strings, where their escapes mean the same. */
  printJson(value: unknown): void {
    this.print(printable(JSON.stringify(value)));
  }

  /** A line about what happens, unless --quiet. */
  note(line: string): void {
    if (!this.options().quiet) this.error(printable(line));
  }

  /** A line that also --quiet shows. */
  error(line: string): void {
    this.streams.stderr.write(`${line}\n`);
  }

  /** Says what went wrong, and what to do. */
  failure(message: string): void {
    this.error(`${this.styled('red', 'error:', 'stderr')} ${printable(message)}`);
  }

  styled(style: Style, text: string, stream: 'stdout' | 'stderr' = 'stdout'): string {
    return this.hasColor(stream) ? `\u001B[${CODES[style]}m${text}\u001B[0m` : text;
  }

  /** Rows in columns, the last of which may be of any width. Texts of the server may be in them. */
  table(given: readonly (readonly string[])[]): void {
    const rows = given.map((row) => row.map(printable));
    const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
    for (const row of rows) this.print(row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0))).join('  '));
  }

  /** By no-color.org: any value but the empty one. */
  private hasColor(stream: 'stdout' | 'stderr'): boolean {
    return this.streams[stream].isTTY === true && !this.env['NO_COLOR'] && this.env['TERM'] !== 'dumb';
  }
}
