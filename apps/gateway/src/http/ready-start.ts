/** Characters or bytes that a streamed answer has ready before its head is sent; most answers are shorter. */
const START_LENGTH = 65_536;

/**
 * Reads the beginning of a streamed answer, or the whole of a short one, before its head is sent: an outage until then is a
 * refusal with a status of its own. Later it can only break off an answer that has begun with 200.
 * @throws what the pieces throw until then
 */
export async function withReadyStart<T extends string | Uint8Array>(pieces: AsyncGenerator<T>): Promise<AsyncGenerator<T>> {
  const start: T[] = [];
  for (let length = 0; length < START_LENGTH; ) {
    const next = await pieces.next();
    if (next.done) break;
    start.push(next.value);
    length += next.value.length;
  }
  return startingWith(start, pieces);
}

async function* startingWith<T>(start: T[], rest: AsyncGenerator<T>): AsyncGenerator<T> {
  try {
    yield* start;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}
