import { readFile } from 'node:fs/promises';
import { create, type Font, type Glyph, type GlyphPosition } from 'fontkit';
import decompress from 'woff2-encoder/decompress';
import { mirroredCharacter, type Direction } from '../layout/bidi-text.js';
import type { FontSlice } from './font-catalogue.js';
import { TrueTypeSubset } from './truetype-subset.js';

export type Weight = 'regular' | 'bold';

const WEIGHTS: Record<Weight, number> = { regular: 400, bold: 700 };

/** A glyph and what it stands for: in Arabic one outline serves several letters, each of which is to be copied as itself. */
interface TextGlyph {
  /** The id of the pair, not of the outline. */
  id: number;
  codePoints: number[];
  advanceWidth: number;
}

/** A shaped word; `glyphs` from left to right. */
export interface ShapedRun {
  glyphs: TextGlyph[];
  positions: GlyphPosition[];
  /** In thousandths of the font size. */
  width: number;
}

/** Bounds what a font of a long document keeps. */
const SHAPED_WORDS = 1000;

/** One slice at one weight, in the shape of the fonts that PDFKit takes. */
export class DocumentFont {
  readonly unitsPerEm: number;
  readonly ascent: number;
  readonly descent: number;
  readonly lineGap: number;
  readonly bbox: Font['bbox'];
  readonly italicAngle = 0;
  readonly capHeight: number;
  readonly xHeight: number;
  readonly post = { isFixedPitch: false };
  readonly head = { macStyle: { italic: false } };
  readonly 'OS/2' = undefined;
  private readonly shaped = new Map<string, ShapedRun>();
  /** The outline of each pair; the first is the empty box. */
  private readonly outlines = [0];
  private readonly pairs = new Map<string, TextGlyph>();
  private pending: ShapedRun | undefined;

  private constructor(
    private readonly font: Font,
    readonly postscriptName: string,
  ) {
    ({ unitsPerEm: this.unitsPerEm, ascent: this.ascent, descent: this.descent, lineGap: this.lineGap } = font);
    ({ bbox: this.bbox, capHeight: this.capHeight, xHeight: this.xHeight } = font);
    tellCodePoints(font);
  }

  /** fontkit reads WOFF2 too, but makes variations only of plain TrueType. A font as it is drawn takes less memory than a variation of it. */
  static async open({ name, path }: FontSlice, weight: Weight): Promise<DocumentFont> {
    const font = create(Buffer.from(await decompress(await readFile(path))));
    if (!('getVariation' in font)) throw new Error(`${path} is a collection of fonts.`);
    const wght = WEIGHTS[weight];
    const isDrawnSo = font.variationAxes.wght?.default === wght;
    return new DocumentFont(isDrawnSo ? font : font.getVariation({ wght }), `${name}-${weight}`);
  }

  has(codePoint: number): boolean {
    return this.font.hasGlyphForCodePoint(codePoint);
  }

  /** Words come again and again, so that each is shaped once. */
  shape(text: string, direction: Direction): ShapedRun {
    const key = direction === 'rtl' ? `\u200f${text}` : text;
    let run = this.shaped.get(key);
    if (!run) {
      if (this.shaped.size >= SHAPED_WORDS) this.shaped.clear();
      run = this.layOut(text, direction);
      this.shaped.set(key, run);
    }
    return run;
  }

  /** PDFKit writes text through `layout`: the next time, this run is what it gets. */
  writeNext(run: ShapedRun): void {
    this.pending = run;
  }

  layout(text: string): { glyphs: TextGlyph[]; positions: object[]; advanceWidth: number } {
    const { glyphs, positions, width } = this.pending ?? this.shape(text, 'ltr');
    this.pending = undefined;
    // PDFKit scales the positions in their place.
    return { glyphs, positions: positions.map((position) => ({ ...position })), advanceWidth: (width * this.unitsPerEm) / 1000 };
  }

  /** @param id of a pair */
  getGlyph(id: number): Glyph {
    return this.font.getGlyph(this.outlines[id] ?? 0);
  }

  createSubset(): TrueTypeSubset {
    return new TrueTypeSubset(this);
  }

  /** Brackets that are read from the right are drawn turned, and copied as they were written. */
  private layOut(text: string, direction: Direction): ShapedRun {
    const isTurned = direction === 'rtl';
    const shown = isTurned ? Array.from(text, mirroredCharacter).join('') : text;
    const { glyphs, positions, advanceWidth } = this.font.layout(shown, undefined, undefined, undefined, direction);
    const written = glyphs.map(({ codePoints }) => (isTurned ? codePoints.map(mirroredCodePoint) : [...codePoints]));
    keepJoiners(isTurned ? written.toReversed() : written);
    return {
      glyphs: glyphs.map((glyph, index) => this.pairOf(glyph, written[index] ?? [])),
      positions,
      width: (advanceWidth * 1000) / this.unitsPerEm,
    };
  }

  private pairOf({ id: outline, advanceWidth }: Glyph, codePoints: number[]): TextGlyph {
    const key = `${outline} ${codePoints.join(' ')}`;
    let pair = this.pairs.get(key);
    if (!pair) {
      pair = { id: this.outlines.push(outline) - 1, codePoints, advanceWidth };
      this.pairs.set(key, pair);
    }
    return pair;
  }
}

/** fontkit remembers a glyph with the characters of its first use; each use is to tell its own. */
function tellCodePoints(font: Font): void {
  const getGlyph = font.getGlyph.bind(font);
  font.getGlyph = (id, codePoints = []) => Object.create(getGlyph(id), { codePoints: { value: codePoints } });
}

/** Readers leave out what is not seen, as the joiners of Persian are; with the letter before, they are copied. In logical order. */
function keepJoiners(written: number[][]): void {
  written.forEach((codePoints, index) => {
    const before = written[index - 1];
    if (before && codePoints.length > 0 && codePoints.every((codePoint) => codePoint === 0x200c || codePoint === 0x200d)) {
      before.push(...codePoints.splice(0));
    }
  });
}

const mirroredCodePoint = (codePoint: number): number => mirroredCharacter(String.fromCodePoint(codePoint)).codePointAt(0) ?? codePoint;
