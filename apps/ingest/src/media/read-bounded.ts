const MAX_OUTPUT = 1024 * 1024;

/** Reads the output of a tool about a file. @returns undefined when it is more than 1 MiB. */
export async function readBounded(stdout: AsyncIterable<Uint8Array>): Promise<string | undefined> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of stdout) {
    size += piece.length;
    if (size > MAX_OUTPUT) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}
