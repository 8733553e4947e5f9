const MAX_REASON = 60;

/** One line each, for a terminal. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((_, column) => Math.max(...[header, ...rows].map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ').trimEnd();
  return [header, ...rows].map(line).join('\n');
}

/** One of them, with its event or payload. */
export function details(head: Record<string, string | number>, content: unknown, label = 'event'): string {
  const lines = Object.entries(head).map(([name, value]) => `${`${name}:`.padEnd(11)}${value}`);
  return [...lines, `${label}:`, JSON.stringify(content, null, 2)].join('\n');
}

/** A reason that fits into a line. */
export function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > MAX_REASON ? `${line.slice(0, MAX_REASON - 1)}…` : line;
}
