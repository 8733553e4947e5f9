/** The pieces of a stream, until it ends or `ended` settles, also while no piece comes. A race of each piece with `ended` would leave callbacks there, for hours of audio. */
export async function* piecesUntil<Piece>(stream: AsyncIterable<Piece>, ended: Promise<unknown>): AsyncGenerator<Piece> {
  const pieces = stream[Symbol.asyncIterator]();
  let isEnded = false;
  let wake = () => {};
  const end = () => {
    isEnded = true;
    wake();
  };
  ended.then(end, end);
  for (;;) {
    if (isEnded) return;
    const next = await new Promise<IteratorResult<Piece> | undefined>((resolve, reject) => {
      wake = () => resolve(undefined);
      pieces.next().then(resolve, reject);
    });
    if (next === undefined || next.done) return;
    yield next.value;
  }
}
