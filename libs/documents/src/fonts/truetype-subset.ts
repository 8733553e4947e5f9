import type { Glyph } from 'fontkit';

/** The data of a font that goes into the tables, in the font's design units. */
interface SubsetFont {
  unitsPerEm: number;
  ascent: number;
  descent: number;
  lineGap: number;
  getGlyph(id: number): Glyph;
}

interface Point {
  x: number;
  y: number;
  onCurve: boolean;
}

interface Outline {
  data: Buffer;
  points: number;
  contours: number;
  xMin: number;
  advance: number;
}

/**
 * The glyphs that a document uses as a TrueType font of its own, with the tables that PDF asks of a CIDFontType2
 * (ISO 32000-1, section 9.9). Outlines are taken as the font's variation draws them, so that what is embedded varies no
 * more; fontkit's own subset of a variable font throws.
 */
export class TrueTypeSubset {
  private readonly ids = [0];
  private readonly places = new Map([[0, 0]]);

  constructor(private readonly font: SubsetFont) {}

  /** @returns the glyph's place in the subset. */
  includeGlyph(id: number): number {
    const known = this.places.get(id);
    if (known !== undefined) return known;
    const place = this.ids.push(id) - 1;
    this.places.set(id, place);
    return place;
  }

  encode(): Uint8Array {
    const outlines = this.ids.map((id) => outlineOf(this.font.getGlyph(id)));
    const offsets = [0];
    for (const { data } of outlines) offsets.push((offsets.at(-1) ?? 0) + data.length);
    return fontFile({
      glyf: Buffer.concat(outlines.map(({ data }) => data)),
      head: headTable(this.font),
      hhea: hheaTable(this.font, outlines),
      hmtx: int16s(outlines.flatMap(({ advance, xMin }) => [advance, xMin])),
      loca: uint32s(offsets),
      maxp: maxpTable(outlines),
    });
  }
}

function outlineOf(glyph: Glyph): Outline {
  const contours = contoursOf(glyph);
  const points = contours.flat();
  const advance = Math.round(glyph.advanceWidth);
  if (points.length === 0) return { data: Buffer.alloc(0), points: 0, contours: 0, xMin: 0, advance };
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  const bounds = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
  let last = -1;
  const ends = contours.map(({ length }) => (last += length));
  const table = Buffer.concat([
    int16s([contours.length, ...bounds, ...ends, 0]),
    Buffer.from(points.map(({ onCurve }) => (onCurve ? 1 : 0))),
    int16s([...differences(xs), ...differences(ys)]),
  ]);
  return { data: padded(table), points: points.length, contours: contours.length, xMin: bounds[0] ?? 0, advance };
}

/** TrueType's points from the commands of a path: those between two control points are kept as they are. */
function contoursOf({ path }: Glyph): Point[][] {
  const contours: Point[][] = [];
  const add = (x = 0, y = 0, onCurve = true) => contours.at(-1)?.push({ x: Math.round(x), y: Math.round(y), onCurve });
  for (const { command, args } of path.commands) {
    if (command === 'moveTo') contours.push([]);
    if (command === 'quadraticCurveTo') add(args[0], args[1], false);
    if (command !== 'closePath') add(args.at(-2), args.at(-1));
  }
  return contours.map(withoutClosingPoint).filter(({ length }) => length > 0);
}

/** A contour closes by itself. */
function withoutClosingPoint(points: Point[]): Point[] {
  const [first, last] = [points[0], points.at(-1)];
  const isClosed = points.length > 1 && first?.x === last?.x && first?.y === last?.y && last?.onCurve;
  return isClosed ? points.slice(0, -1) : points;
}

const differences = (values: readonly number[]): number[] => values.map((value, index) => value - (values[index - 1] ?? 0));

/** https://learn.microsoft.com/typography/opentype/spec/head; the bounding box is the em square's. */
function headTable({ unitsPerEm, ascent, descent }: SubsetFont): Buffer {
  const table = Buffer.alloc(54);
  table.writeUInt32BE(0x0001_0000, 0);
  table.writeUInt32BE(0x5f0f_3cf5, 12);
  table.writeUInt16BE(unitsPerEm, 18);
  int16s([0, descent, unitsPerEm, ascent, 0, 8, 2, 1, 0]).copy(table, 36);
  return table;
}

function hheaTable({ ascent, descent, lineGap }: SubsetFont, outlines: readonly Outline[]): Buffer {
  const widest = Math.max(...outlines.map(({ advance }) => advance));
  const table = int16s([1, 0, ascent, descent, lineGap, widest, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, outlines.length]);
  return table;
}

function maxpTable(outlines: readonly Outline[]): Buffer {
  const most = (of: (outline: Outline) => number) => Math.max(...outlines.map(of));
  return int16s([1, 0, outlines.length, most(({ points }) => points), most(({ contours }) => contours), 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0]);
}

/** The table directory and the tables, in the order of their tags. */
function fontFile(tables: Record<string, Buffer>): Buffer {
  const entries = Object.entries(tables).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const power = Math.floor(Math.log2(entries.length));
  const header = int16s([1, 0, entries.length, 16 * 2 ** power, power, 16 * (entries.length - 2 ** power)]);
  let offset = header.length + 16 * entries.length;
  const directory = entries.map(([tag, { length }, ], index) => {
    const table = padded(entries[index]?.[1] ?? Buffer.alloc(0));
    const record = Buffer.concat([Buffer.from(tag, 'latin1'), uint32s([checksum(table), offset, length])]);
    offset += table.length;
    return record;
  });
  return Buffer.concat([header, ...directory, ...entries.map(([, table]) => padded(table))]);
}

function checksum(table: Buffer): number {
  let sum = 0;
  for (let at = 0; at < table.length; at += 4) sum = (sum + table.readUInt32BE(at)) >>> 0;
  return sum;
}

const padded = (table: Buffer): Buffer => Buffer.concat([table, Buffer.alloc((4 - (table.length % 4)) % 4)]);

/** Two bytes each, negative ones in two's complement. */
function int16s(values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(values.length * 2);
  values.forEach((value, index) => buffer.writeUInt16BE(Math.round(value) & 0xffff, index * 2));
  return buffer;
}

function uint32s(values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => buffer.writeUInt32BE(value, index * 4));
  return buffer;
}
