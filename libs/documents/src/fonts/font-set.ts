import { DocumentFont, type Weight } from './document-font.js';
import { FontCatalogue, type FontSlice } from './font-catalogue.js';

/** The fonts of one document, each read when its first character comes: `load` a text before it is set. */
export class FontSet {
  private readonly catalogue: FontCatalogue;
  private readonly fonts = new Map<string, DocumentFont>();
  private readonly loaded = new Set<string>();
  private readonly byGrapheme = new Map<string, DocumentFont>();

  constructor(language: string) {
    this.catalogue = new FontCatalogue(language);
  }

  /** Reads what draws the text. */
  async load(text: string, weight: Weight): Promise<void> {
    for (const character of text) {
      const key = `${weight} ${character}`;
      if (this.loaded.has(key)) continue;
      await this.loadCharacter(character.codePointAt(0) ?? 0, weight);
      this.loaded.add(key);
    }
  }

  /** The font that draws the grapheme: one with all of its characters, else with its first, else the Latin one (an empty box). */
  fontFor(grapheme: string, weight: Weight): DocumentFont {
    const key = `${weight} ${grapheme}`;
    let font = this.byGrapheme.get(key);
    if (!font) {
      font = this.find(grapheme, weight);
      this.byGrapheme.set(key, font);
    }
    return font;
  }

  /** As far as a font that has it: what comes after it is not even looked up, as the tables of Chinese and Japanese are large. */
  private async loadCharacter(codePoint: number, weight: Weight): Promise<void> {
    for (const wanted of [codePoint, LATIN_A]) {
      for (const slice of this.catalogue.slicesFor(wanted)) {
        const key = keyOf(slice, weight);
        const font = this.fonts.get(key) ?? (await DocumentFont.open(slice, weight));
        this.fonts.set(key, font);
        if (font.has(codePoint)) return;
      }
    }
  }

  private find(grapheme: string, weight: Weight): DocumentFont {
    const codePoints = Array.from(grapheme, (character) => character.codePointAt(0) ?? 0);
    const [first = LATIN_A] = codePoints;
    let fitting: DocumentFont | undefined;
    for (const font of this.opened(first, weight)) {
      if (!font.has(first)) continue;
      if (codePoints.every((codePoint) => isInvisible(codePoint) || font.has(codePoint))) return font;
      fitting ??= font;
    }
    const [latin] = this.opened(LATIN_A, weight);
    const font = fitting ?? latin;
    if (!font) throw new RangeError('The text was not loaded.');
    return font;
  }

  private *opened(codePoint: number, weight: Weight): Generator<DocumentFont> {
    for (const slice of this.catalogue.slicesFor(codePoint)) {
      const font = this.fonts.get(keyOf(slice, weight));
      if (font) yield font;
    }
  }
}

const LATIN_A = 0x41;

const keyOf = ({ name }: FontSlice, weight: Weight): string => `${name} ${weight}`;

/** Joiners and variation selectors, which shape what is beside them. */
const isInvisible = (codePoint: number): boolean =>
  (codePoint >= 0x200b && codePoint <= 0x200f) || (codePoint >= 0xfe00 && codePoint <= 0xfe0f);
