const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Values in one JSON text: twice what the largest valid body of one thing has. */
export const MAX_VALUES = 2000;
/** Objects and lists within each other in one JSON text. Fields have bounds of their own below it. */
export const MAX_NESTING = 128;

/**
 * Which bound a JSON text is over, seen in one pass before it is parsed: parsing and validating a megabyte of tiny values
 * takes a hundred times as long as this pass. Text that is no JSON has some result, too.
 */
export function jsonOverrun(bytes: Uint8Array, maxValues = MAX_VALUES): 'too_long' | 'too_deep' | undefined {
  let values = 1;
  let depth = 0;
  let inString = false;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index];
    if (inString) {
      if (byte === BACKSLASH) index += 1;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === COMMA) values += 1;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      values += 1;
      depth += 1;
      if (depth > MAX_NESTING) return 'too_deep';
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1;
    if (values > maxValues) return 'too_long';
  }
  return undefined;
}
