/** Bytes of a file of the suite: each is the rest of its place divided by 251. */
export function pattern(offset: number, length: number): Buffer<ArrayBuffer>;
