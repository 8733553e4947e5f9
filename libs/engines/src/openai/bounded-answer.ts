/** More than any good answer has: a generation some 100 KB, ten minutes of words with their times 5 MB. */
export const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** The body of a server's answer goes past the limit, or says that it will. */
export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge';
}

/**
 * A fetch whose answers end with `AnswerTooLarge` past so many bytes, unpacked ones: what a server sends is held in memory whole.
 * The connection is closed then. A fetch that failed would be tried again, so it is the body that fails, once it is read.
 */
export function boundedAnswers(fetch: typeof globalThis.fetch, maxBytes: number): typeof globalThis.fetch {
  return async (...request) => {
    const response = await fetch(...request);
    if (!response.body) return response;
    const announced = Number(response.headers.get('content-length'));
    return new Response(response.body.pipeThrough(counted(maxBytes, announced)), response);
  };
}

function counted(maxBytes: number, announced: number): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, body) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes || announced > maxBytes) throw new AnswerTooLarge();
      body.enqueue(chunk);
    },
  });
}
