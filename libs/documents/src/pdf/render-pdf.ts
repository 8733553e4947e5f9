import { closingMark } from '@parlance/languages';
import PdfKit from 'pdfkit';
import { blocksOf, titleOf, type Block } from '../content/blocks.js';
import type { DocumentHead, DocumentTurn } from '../content/document-content.js';
import { FontSet } from '../fonts/font-set.js';
import { paragraphDirection } from '../layout/bidi-text.js';
import type { Span, TextStyle } from '../layout/text-style.js';
import { PdfPageWriter, type ParagraphShape } from './pdf-page-writer.js';

const INK = '#1b1f24';
const QUIET = '#6a737d';
const ACCENT = '#1f4e79';

const STYLES = {
  title: { size: 20, weight: 'bold', color: INK },
  facts: { size: 9.5, weight: 'regular', color: QUIET },
  heading: { size: 13, weight: 'bold', color: ACCENT },
  body: { size: 10.5, weight: 'regular', color: INK },
  name: { size: 10.5, weight: 'bold', color: ACCENT },
  time: { size: 9, weight: 'regular', color: QUIET },
} satisfies Record<string, TextStyle>;

const LABEL = { leading: 1.5, before: 11 };

const SHAPES = {
  title: { leading: 1.35, before: 0 },
  facts: { leading: 1.5, before: 4 },
  heading: { leading: 1.5, before: 18, keep: LABEL.before + LABEL.leading * STYLES.name.size + 3 * 1.55 * STYLES.body.size },
  text: { leading: 1.55, before: 6 },
  item: { leading: 1.55, before: 3, indent: 14 },
  label: LABEL,
  turn: { leading: 1.55, before: 0 },
} satisfies Record<string, ParagraphShape>;

/** A PDF, a page at a time; only the glyphs that it shows are embedded. */
export async function* renderPdf(head: DocumentHead, turns: AsyncIterable<DocumentTurn>): AsyncGenerator<Uint8Array> {
  const document = new PdfKit({
    autoFirstPage: false,
    pdfVersion: '1.7',
    lang: head.language,
    displayTitle: true,
    info: { Title: titleOf(head), Creator: 'Parlance', Producer: 'Parlance (PDFKit)', ...creationDate(head) },
  });
  const writer = new PdfPageWriter(document, new FontSet(head.language), head.language, STYLES.time);
  await writer.begin();
  for await (const block of blocksOf(head, turns)) {
    await setBlock(writer, block, head.language);
    for (let piece: unknown = document.read(); piece !== null; piece = document.read()) yield piece as Uint8Array;
  }
  document.end();
  for await (const piece of document) yield piece as unknown as Uint8Array;
}

async function setBlock(writer: PdfPageWriter, block: Block, language: string): Promise<void> {
  if (block.kind === 'turn') return setTurn(writer, block, language);
  if (block.kind === 'item') return setItem(writer, block, language);
  const style = block.kind === 'text' ? STYLES.body : STYLES[block.kind];
  await writer.paragraph([{ text: block.text, style }], SHAPES[block.kind]);
}

async function setTurn(writer: PdfPageWriter, { text, speaker, time }: Block & { kind: 'turn' }, language: string): Promise<void> {
  const direction = paragraphDirection(text, language);
  const label: Span[] = [];
  if (speaker !== undefined) label.push({ text: speaker, style: STYLES.name });
  if (time !== undefined) label.push({ text: (speaker === undefined ? '' : `${closingMark(speaker, direction)}   `) + time, style: STYLES.time });
  const said = await writer.layOut([{ text, style: STYLES.body }], label.length > 0 ? SHAPES.turn : SHAPES.text, direction);
  if (label.length > 0) writer.place(await writer.layOut(label, SHAPES.label, direction), said);
  writer.place(said);
}

async function setItem(writer: PdfPageWriter, { text, time }: Block & { kind: 'item' }, language: string): Promise<void> {
  const direction = paragraphDirection(text, language);
  const spans: Span[] = [{ text, style: STYLES.body }];
  if (time !== undefined) spans.push({ text: `${closingMark(text, direction)}  ${time}`, style: STYLES.time });
  await writer.paragraph(spans, { ...SHAPES.item, marker: { text: '•', style: STYLES.body } }, direction);
}

function creationDate({ createdAt }: DocumentHead): { CreationDate?: Date } {
  const date = new Date(createdAt ?? '');
  return Number.isNaN(date.getTime()) ? {} : { CreationDate: date };
}
