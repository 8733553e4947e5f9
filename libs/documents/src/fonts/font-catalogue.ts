import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { primaryLanguage, scriptOf } from '@parlance/languages';

/** A file of a family: the part of its characters that web pages load at once. */
export interface FontSlice {
  /** Unique, and a PostScript name. */
  name: string;
  path: string;
}

interface SliceRange {
  first: number;
  last: number;
  slice: FontSlice;
  /** The greatest `last` up to here: beyond it, no earlier range can hold a character. */
  reach: number;
}

const CHINESE = ['noto-sans-sc', 'noto-sans-jp', 'noto-sans-tc', 'noto-sans-kr'];
const TRADITIONAL = ['noto-sans-tc', 'noto-sans-jp', 'noto-sans-sc', 'noto-sans-kr'];
const JAPANESE = ['noto-sans-jp', 'noto-sans-sc', 'noto-sans-tc', 'noto-sans-kr'];
const KOREAN = ['noto-sans-kr', 'noto-sans-jp', 'noto-sans-sc', 'noto-sans-tc'];

/** Latin, Greek, Cyrillic and Devanagari come first; each other family has one script. */
const FAMILIES = [
  'noto-sans', 'noto-sans-arabic', 'noto-sans-hebrew', 'noto-sans-thai', 'noto-sans-lao', 'noto-sans-khmer', 'noto-sans-myanmar',
  'noto-sans-bengali', 'noto-sans-gurmukhi', 'noto-sans-gujarati', 'noto-sans-tamil', 'noto-sans-telugu', 'noto-sans-kannada',
  'noto-sans-malayalam', 'noto-sans-sinhala', 'noto-serif-tibetan', 'noto-sans-georgian', 'noto-sans-armenian',
  'noto-sans-ethiopic', 'noto-sans-symbols',
];

/** Characters that Latin and CJK fonts both have, of which CJK text wants the wide form: quotes, dash, ellipsis. */
const WIDE_IN_CJK = new Set([0x2014, 0x2018, 0x2019, 0x201c, 0x201d, 0x2026]);

const packages = createRequire(import.meta.url);

/** Which font has a character: Noto's families of the npm packages @fontsource-variable/*, in the order a language wants. */
export class FontCatalogue {
  private readonly ranges = new Map<string, SliceRange[]>();
  private readonly cjk: readonly string[];
  private readonly isCjk: boolean;

  constructor(language: string) {
    this.cjk = cjkFamilies(language);
    this.isCjk = this.cjk !== CHINESE || primaryLanguage(language) === 'zh';
  }

  /** The slices that state they have the character, the best first. */
  *slicesFor(codePoint: number): Generator<FontSlice> {
    const families = this.isCjk && WIDE_IN_CJK.has(codePoint) ? [...this.cjk, ...FAMILIES] : [...FAMILIES, ...this.cjk];
    for (const family of families) {
      const slice = findSlice(this.rangesOf(family), codePoint);
      if (slice) yield slice;
    }
  }

  private rangesOf(family: string): SliceRange[] {
    let ranges = this.ranges.get(family);
    if (!ranges) {
      ranges = readRanges(family);
      this.ranges.set(family, ranges);
    }
    return ranges;
  }
}

/** Han characters are drawn as the language's readers know them. */
function cjkFamilies(language: string): readonly string[] {
  const script = scriptOf(language);
  if (script === 'Jpan') return JAPANESE;
  if (script === 'Kore') return KOREAN;
  return script === 'Hant' ? TRADITIONAL : CHINESE;
}

/** Slices that each family has over again, worse than the first one's. */
const EVERYWHERE = /^(latin|vietnamese|cyrillic|greek)/;

/** By fontsource's own table: `{"latin": "U+0000-00FF,U+0131", "[4]": …}` and a file for each key. */
function readRanges(family: string): SliceRange[] {
  const table = packages.resolve(`@fontsource-variable/${family}/unicode.json`);
  const slices: Record<string, string> = JSON.parse(readFileSync(table, 'utf8'));
  const own = Object.entries(slices).filter(([key]) => family === FAMILIES[0] || !EVERYWHERE.test(key));
  const ranges = own.flatMap(([key, text]) => {
    const part = key.replace(/[[\]]/g, '');
    const slice = { name: `${family}-${part}`, path: join(dirname(table), 'files', `${family}-${part}-wght-normal.woff2`) };
    return text.split(',').map((range) => ({ ...parseRange(range), slice }));
  });
  let reach = 0;
  return ranges
    .toSorted((one, other) => one.first - other.first)
    .map((range) => ({ ...range, reach: (reach = Math.max(reach, range.last)) }));
}

function parseRange(text: string): { first: number; last: number } {
  const [first = '', last = first] = text.trim().replace(/^U\+/i, '').split('-');
  return { first: Number.parseInt(first, 16), last: Number.parseInt(last, 16) };
}

/** From the last range that begins before the character, back as far as one may hold it: ranges overlap. */
function findSlice(ranges: readonly SliceRange[], codePoint: number): FontSlice | undefined {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle]?.first ?? 0) <= codePoint) low = middle + 1;
    else high = middle;
  }
  for (let range = ranges[--low]; range && range.reach >= codePoint; range = ranges[--low]) {
    if (codePoint <= range.last) return range.slice;
  }
  return undefined;
}
