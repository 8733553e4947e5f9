interface MediaRange {
  type: string;
  weight: number;
}

/** By RFC 9110, section 12.5.1, how much a caller wants each type: 0 is not at all, and without Accept all are welcome. The most specific range that matches counts. */
export function acceptWeights(accept: string | undefined, types: readonly string[]): number[] {
  if (accept === undefined || accept.trim() === '') return types.map(() => 1);
  const ranges = accept.split(',').map(parseRange);
  return types.map((type) => weightOf(type, ranges));
}

function parseRange(text: string): MediaRange {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return { type, weight: weight === undefined ? 1 : Number(weight) || 0 };
}

function weightOf(type: string, ranges: readonly MediaRange[]): number {
  const family = `${type.slice(0, type.indexOf('/'))}/*`;
  const range = [type, family, '*/*'].map((wanted) => ranges.find((range) => range.type === wanted)).find((found) => found !== undefined);
  return range?.weight ?? 0;
}
