/** Units whose repetition is what backtracking, splitting and nested parsers handle worst. */
const UNITS: Readonly<Record<string, string>> = {
  semicolons: ';',
  quotes: '"',
  blanks: ' ',
  backslashes: '\\',
  pairs: 'a=',
  commas: ',',
  brackets: '[',
  braces: '{"a":',
  percents: '%',
  letters: 'a',
  digits: '1',
  hyphens: '-',
  dots: '.a',
  ats: 'a@',
  slashes: '/',
  'list items': 'a;q=0.1, ',
  'quoted pairs': '"\\a" ',
  'line ends': '\n',
  'fence marks': '```\n',
  'wide letters': '界',
  'combined marks': 'e\u0301',
  emoji: '👩‍👩‍👧',
};

export interface Run {
  name: string;
  /** @returns the unit repeated up to the length in UTF-16 units, then one character that lets most patterns fail at the end */
  text(length: number): string;
}

export const RUNS: readonly Run[] = Object.entries(UNITS).map(([name, unit]) => ({
  name,
  text: (length) => `${unit.repeat(Math.max(1, Math.floor((length - 1) / unit.length)))}!`.slice(0, Math.max(1, length)),
}));
