import { primaryLanguage } from '@parlance/languages';

/** The facts about its subtitles that the header of a file contains. */
interface StlContents {
  /** BCP 47. */
  language: string;
  blocks: number;
  subtitles: number;
  /** Characters a line has at most. */
  lineChars: number;
  /** `HHMMSSFF` of the first subtitle. */
  firstTimecode: string;
  /** Characters that the code table cannot carry. */
  replaced: number;
}

/** Rows of the screen. */
export const STL_ROWS = 23;

/** EBU Tech 3264, appendix 3: the code of a language is its place here; the codes of other languages than these are not Latin. */
const LANGUAGES = ' sq br ca hr cy cs da de en es eo et eu fo fr fy ga gd gl is it se la lv lb lt hu mt nl no oc pl pt ro rm sr sk sl fi sv tr nl wa'.split(' ');
const OTHER_NAMES: Readonly<Record<string, string>> = { nb: 'no', nn: 'no' };

/**
 * The General Subtitle Information block (EBU Tech 3264, section 4): 1024 bytes; open subtitles in the Latin code table, at 25 frames
 * a second. It has no dates, so that the same transcript gives the same file; how many characters were replaced is in the user's area.
 */
export function stlHeader(contents: StlContents): Uint8Array {
  const block = Buffer.alloc(1024, ' ');
  for (const [offset, text] of fieldsOf(contents)) block.write(text, offset, 'latin1');
  return block;
}

const fieldsOf = (contents: StlContents): [offset: number, text: string][] => [
  [0, '850STL25.01000'],
  [14, languageCode(contents.language)],
  [236, '00'],
  [238, digits(contents.blocks, 5)],
  [243, digits(contents.subtitles, 5)],
  [248, '001'],
  [251, digits(Math.min(contents.lineChars, 99), 2)],
  [253, digits(STL_ROWS, 2)],
  [255, '100000000'],
  [264, contents.firstTimecode],
  [272, '11'],
  [448, contents.replaced === 0 ? '' : `Characters replaced: ${contents.replaced}`],
];

function languageCode(language: string): string {
  const primary = primaryLanguage(language);
  const place = LANGUAGES.indexOf(OTHER_NAMES[primary] ?? primary);
  return Math.max(0, place).toString(16).toUpperCase().padStart(2, '0');
}

const digits = (value: number, width: number): string => String(value).padStart(width, '0');
