import type { Caller } from './callers.js';

/** `reads`: the answer had words of transcripts, or what people wrote about them. */
export type Cell = 'refused' | 'answers' | 'reads';

export interface Row {
  name: string;
  /** One for each caller. */
  cells: readonly Cell[];
}

const MARKS: Readonly<Record<Cell, string>> = { refused: '', answers: '✓', reads: 'R' };

/** The table of operations and callers as a page of the documents. */
export function accessPage(callers: readonly Caller[], rows: readonly Row[]): string {
  const legend = callers.flatMap(({ name, description }) => (description === undefined ? [] : [`- **${name}**: ${description}`]));
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const table = [line(['', ...callers.map(({ name }) => name)]), line(['---', ...callers.map(() => '---')]), ...rows.map(({ name, cells }) => line([`\`${name}\``, ...cells.map((cell) => MARKS[cell])]))];
  return `# Access

Each operation, and each route of other vendors’ APIs, with each kind of caller. **R**: the answer has words of a transcript, or what people wrote about it: title, metadata, names of files and speakers, terms. In its headers too, where a file has a name. **✓**: it answers without any of these in clear; a recording, an archive or a sealed result may hold them. An empty cell: it is refused, as 401, 403 or 404.

Made by \`WRITE_ACCESS=yes npm test -- test/embedded/access.spec.ts\`, which sends each request to a running server and looks for planted words in its answer; without the setting, the test compares.

A column with the name of a scope is a key with that scope alone. The others:

${legend.join('\n')}

${table.join('\n')}
`;
}
