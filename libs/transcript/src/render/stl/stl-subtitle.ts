import { STL_ROWS } from './stl-header.js';
import { toIso6937 } from './iso-6937.js';

/** A subtitle; the times are in frames. */
export interface StlSubtitle {
  /** From 0. */
  number: number;
  start: number;
  end: number;
  /** In characters that the code table has. */
  lines: readonly string[];
}

export const FRAMES_PER_SECOND = 25;

const TEXT_BYTES = 112;
const NEW_LINE = 0x8a;
const UNUSED = 0x8f;
const LAST_BLOCK = 0xff;
const CENTRED = 2;

/** Text and Timing Information blocks (EBU Tech 3264, section 5) of 128 bytes: one, and more where a text has more than 112 bytes. */
export function subtitleBlocks(subtitle: StlSubtitle): Uint8Array[] {
  const text = textBytes(subtitle.lines);
  const count = Math.max(1, Math.ceil(text.length / TEXT_BYTES));
  return Array.from({ length: count }, (_, index) => {
    const extension = index === count - 1 ? LAST_BLOCK : index;
    return blockOf(subtitle, extension, text.subarray(index * TEXT_BYTES, (index + 1) * TEXT_BYTES));
  });
}

/** `HHMMSSFF` */
export const frameTimecode = (frames: number): string => timecode(frames).map((part) => String(part).padStart(2, '0')).join('');

function blockOf({ number, start, end, lines }: StlSubtitle, extension: number, text: Uint8Array): Uint8Array {
  const block = Buffer.alloc(16 + TEXT_BYTES, UNUSED);
  block[0] = 0;
  block.writeUInt16LE(number % 0x10000, 1);
  block.set([extension, 0, ...timecode(start), ...timecode(end), rowOf(lines), CENTRED, 0], 3);
  block.set(text, 16);
  return block;
}

/** The row of the first line; the last one stands at the bottom. */
const rowOf = (lines: readonly string[]): number => Math.max(1, STL_ROWS - lines.length + 1);

function textBytes(lines: readonly string[]): Uint8Array {
  return Buffer.concat(lines.flatMap((line, index) => (index === 0 ? [toIso6937(line)] : [Uint8Array.of(NEW_LINE), toIso6937(line)])));
}

function timecode(frames: number): number[] {
  const seconds = Math.floor(frames / FRAMES_PER_SECOND);
  return [Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60, seconds % 60, frames % FRAMES_PER_SECOND];
}
