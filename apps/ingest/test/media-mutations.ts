import fc from 'fast-check';

/** One change of a file. Places are parts of its length, 0 to 1, so that they fit every file. */
type Mutation =
  | { kind: 'flip'; at: number; mask: number }
  | { kind: 'number'; at: number; value: number }
  | { kind: 'fill'; at: number; bytes: number; value: number }
  | { kind: 'cut'; at: number }
  | { kind: 'remove' | 'repeat'; at: number; bytes: number }
  | { kind: 'splice'; at: number; from: number; bytes: number };

/** Without fast-check's preference for bounds, by which half of the files would be cut off at their first byte. */
const part = (max: number): fc.Arbitrary<number> => fc.noBias(fc.nat(999_999)).map((millionths) => (millionths / 1_000_000) * max);
/** Half of the changes are near the beginning, where containers describe themselves. */
const place = fc.oneof(part(0.02), part(1));
const length = fc.oneof(fc.integer({ min: 1, max: 16 }), fc.integer({ min: 1, max: 8192 }));
/** Lengths and counts at the bounds of their types are those that overflow. */
const bound = fc.constantFrom(0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff);

const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('flip' as const), at: place, mask: fc.integer({ min: 1, max: 255 }) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('number' as const), at: place, value: bound }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('fill' as const), at: place, bytes: length, value: fc.constantFrom(0, 255) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('remove' as const, 'repeat' as const), at: place, bytes: length }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('splice' as const), at: place, from: place, bytes: length }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cut' as const), at: part(1) }) },
);

/** Which files are changed, and how: `file` and `other` are numbers of files, of which `other` gives the bytes of a splice. */
export interface MutatedFile {
  file: number;
  other: number;
  mutations: Mutation[];
}

/** The same cases for the same seed; the files take turns. */
export function mutatedFiles(count: number, kinds: number, seed: number): MutatedFile[] {
  const cases = fc.record({ other: fc.nat(kinds - 1), mutations: fc.array(mutation, { minLength: 1, maxLength: 6 }) });
  return fc.sample(cases, { numRuns: count, seed }).map((each, index) => ({ ...each, file: (index + seed) % kinds }));
}

export function mutate(content: Buffer, other: Buffer, mutations: readonly Mutation[]): Buffer {
  return mutations.reduce<Buffer>((bytes, each) => apply(bytes, other, each), Buffer.from(content));
}

function apply(bytes: Buffer, other: Buffer, mutation: Mutation): Buffer {
  const at = Math.floor(mutation.at * bytes.length);
  switch (mutation.kind) {
    case 'flip':
      if (at < bytes.length) bytes.writeUInt8(bytes.readUInt8(at) ^ mutation.mask, at);
      return bytes;
    case 'number':
      if (at + 4 <= bytes.length) bytes[mutation.value % 2 === 0 ? 'writeUInt32BE' : 'writeUInt32LE'](mutation.value, at);
      return bytes;
    case 'fill':
      return bytes.fill(mutation.value, at, Math.min(bytes.length, at + mutation.bytes));
    case 'cut':
      return bytes.subarray(0, at);
    case 'remove':
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + mutation.bytes)]);
    case 'repeat':
      return Buffer.concat([bytes.subarray(0, at + mutation.bytes), bytes.subarray(at)]);
    case 'splice': {
      const from = Math.floor(mutation.from * other.length);
      return Buffer.concat([bytes.subarray(0, at), other.subarray(from, from + mutation.bytes), bytes.subarray(at)]);
    }
  }
}
