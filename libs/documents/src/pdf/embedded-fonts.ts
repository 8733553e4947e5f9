import type PDFDocument from 'pdfkit';
import type { DocumentFont } from '../fonts/document-font.js';
import type { ShapedPiece } from '../layout/shaped-piece.js';

/** A glyph to show; numbers in thousandths of the font size. */
export interface EncodedGlyph {
  /** Its place in the embedded font, four hexadecimal digits. */
  code: string;
  xOffset: number;
  yOffset: number;
  /** The width that the position adds to the glyph's own width. */
  extra: number;
}

type Position = { xOffset: number; yOffset: number; xAdvance: number; advanceWidth: number };

/** PDFKit's state of the current font and page; its own `text` closes what it opens, so that no part of a line can be marked. */
interface DocumentParts {
  _font: { id: string; ref(): object; encode(text: string, features: string[]): [codes: string[], positions: Position[]] };
  page: { fonts: Record<string, object> };
}

/** The document's fonts, from which only what was shown is embedded at its end. */
export class EmbeddedFonts {
  private readonly registered = new Set<string>();

  constructor(private readonly document: InstanceType<typeof PDFDocument>) {}

  /** @returns the resource that shows the piece on the current page, and its glyphs from left to right. */
  encode({ font, run }: ShapedPiece): { id: string; glyphs: EncodedGlyph[] } {
    this.choose(font);
    const { _font: embedded, page } = this.document as unknown as DocumentParts;
    page.fonts[embedded.id] ??= embedded.ref();
    font.writeNext(run);
    const [codes, positions] = embedded.encode('', []);
    const glyphs = codes.map((code, index) => {
      const { xOffset = 0, yOffset = 0, xAdvance = 0, advanceWidth = 0 } = positions[index] ?? {};
      return { code, xOffset, yOffset, extra: xAdvance - advanceWidth };
    });
    return { id: embedded.id, glyphs };
  }

  private choose(font: DocumentFont): void {
    const name = font.postscriptName;
    if (!this.registered.has(name)) {
      // PDFKit takes any object of the shape of fontkit's fonts; its types do not say so.
      this.document.registerFont(name, font as unknown as Uint8Array);
      this.registered.add(name);
    }
    this.document.font(name);
  }
}
