import type PDFDocument from 'pdfkit';
import type { FontSet } from '../fonts/font-set.js';
import { paragraphLines, type TextLine } from '../layout/paragraph-lines.js';
import type { Span, TextStyle } from '../layout/text-style.js';
import { EmbeddedFonts } from './embedded-fonts.js';
import { textOperators } from './text-operators.js';

/** Points; A4. */
export const PAGE = { width: 595.28, height: 841.89, margin: 62, footer: 34 };

const COLUMN = PAGE.width - 2 * PAGE.margin;

export interface ParagraphShape {
  /** The leading of a line, in sizes of its largest font. */
  leading: number;
  /** Points before it, unless it begins a page. */
  before: number;
  /** Points from the edge that it begins at. */
  indent?: number;
  /** Points that must be left under its last line, so that it does not stand alone at the end of a page. */
  keep?: number;
  /** Drawn at the edge of its first line, within the indent. */
  marker?: Span;
}

interface LaidOutParagraph {
  lines: readonly TextLine[];
  shape: ParagraphShape;
  /** Points. */
  lineHeight: number;
}

/** Sets lines on pages, one under the other. */
export class PdfPageWriter {
  private y = PAGE.margin;
  private page = 0;
  private readonly embedded: EmbeddedFonts;

  constructor(
    private readonly document: InstanceType<typeof PDFDocument>,
    private readonly fonts: FontSet,
    private readonly language: string,
    private readonly footerStyle: TextStyle,
  ) {
    this.embedded = new EmbeddedFonts(document);
  }

  /** Before anything else: the first page. */
  async begin(): Promise<void> {
    await this.fonts.load('0123456789', this.footerStyle.weight);
    this.newPage();
  }

  /** Sets a paragraph under what is there. */
  async paragraph(...[spans, shape, direction]: Parameters<PdfPageWriter['layOut']>): Promise<void> {
    this.place(await this.layOut(spans, shape, direction));
  }

  /** Breaks a paragraph into its lines, without setting it. @param direction of the paragraph when its text does not decide it. */
  async layOut(spans: readonly Span[], shape: ParagraphShape, direction?: TextLine['direction']): Promise<LaidOutParagraph> {
    for (const { text, style } of shape.marker ? [...spans, shape.marker] : spans) await this.fonts.load(text, style.weight);
    const indent = shape.indent ?? 0;
    const box = { width: COLUMN - indent, language: this.language, ...(direction && { direction }) };
    const lines = paragraphLines(spans, this.fonts, box);
    return { lines, shape, lineHeight: shape.leading * Math.max(...spans.map(({ style }) => style.size)) };
  }

  /** @param below that must begin on the page on which this one ends */
  place({ lines, shape, lineHeight: height }: LaidOutParagraph, below?: LaidOutParagraph): void {
    const indent = shape.indent ?? 0;
    const after = below ? startHeight(below) : (shape.keep ?? 0);
    if (this.y > PAGE.margin) this.y += shape.before;
    lines.forEach((line, index) => {
      const tied = tiedLines(index, lines.length);
      const keep = tied * height + (index + tied === lines.length - 1 ? after : 0);
      if (this.y + height + keep > PAGE.height - PAGE.margin) this.newPage();
      const baseline = this.y + height * 0.75;
      const edge = line.direction === 'rtl' ? PAGE.width - PAGE.margin - indent - line.width : PAGE.margin + indent;
      if (index === 0 && shape.marker) this.marker(shape.marker, line.direction, baseline);
      this.line(line, edge, baseline);
      this.y += height;
    });
  }

  private marker(span: Span, direction: TextLine['direction'], baseline: number): void {
    const [line] = paragraphLines([span], this.fonts, { width: COLUMN, language: this.language, direction });
    if (line) this.line(line, direction === 'rtl' ? PAGE.width - PAGE.margin - line.width : PAGE.margin, baseline);
  }

  private newPage(): void {
    this.document.addPage({ size: [PAGE.width, PAGE.height], margin: 0 });
    this.page++;
    this.y = PAGE.margin;
    const [number] = paragraphLines([{ text: String(this.page), style: this.footerStyle }], this.fonts, { width: COLUMN, language: 'en' });
    if (number) this.line(number, (PAGE.width - number.width) / 2, PAGE.height - PAGE.footer);
  }

  private line({ pieces }: TextLine, x: number, baseline: number): void {
    this.document.addContent(textOperators(pieces, { x, y: PAGE.height - baseline, pageHeight: PAGE.height }, this.embedded));
  }
}

/** Points that the beginning of a paragraph takes, up to where it may be parted. */
const startHeight = ({ lines, shape, lineHeight }: LaidOutParagraph): number => shape.before + (1 + tiedLines(0, lines.length)) * lineHeight;

/** Lines after this one that stand on its page: none of a paragraph stands alone at the end of a page or at the beginning of the next. */
function tiedLines(index: number, count: number): number {
  if (index === 0) return count <= 3 ? count - 1 : 1;
  return index === count - 2 ? 1 : 0;
}
