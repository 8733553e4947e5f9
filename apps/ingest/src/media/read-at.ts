/** Some bytes of a file from a position; fewer where it ends before. */
export type ReadAt = (position: number, length: number) => Promise<Buffer>;
