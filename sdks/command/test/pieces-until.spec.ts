import { expect, it, jest } from '@jest/globals';
import { piecesUntil } from '../src/pieces-until.js';

const never = new Promise<never>(() => undefined);

async function* numbers(count: number, last: Promise<unknown> = Promise.resolve()): AsyncGenerator<number> {
  for (let number = 1; number <= count; number++) yield number;
  await last;
}

async function collected(pieces: AsyncIterable<number>): Promise<number[]> {
  const all: number[] = [];
  for await (const piece of pieces) all.push(piece);
  return all;
}

it('pieces come until the stream ends', async () => {
  expect(await collected(piecesUntil(numbers(3), never))).toEqual([1, 2, 3]);
});

it.each([
  ['is done', Promise.resolve()],
  ['fails', Promise.reject(new Error('lost'))],
])('a stream that is silent is left when the work %s', async (_, ended) => {
  expect(await collected(piecesUntil(numbers(0, never), ended))).toEqual([]);
});

it('a stream is left when the work ends between two pieces', async () => {
  let end = () => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  const pieces = piecesUntil(numbers(3), ended);
  expect(await pieces.next()).toEqual({ value: 1, done: false });
  end();
  await ended;
  expect(await pieces.next()).toEqual({ value: undefined, done: true });
});

it('an error of the stream is thrown', async () => {
  await expect(collected(piecesUntil(numbers(1, Promise.reject(new Error('unreadable'))), never))).rejects.toThrow('unreadable');
});

it('the work that takes hours gets no callback for each piece', async () => {
  const ended = new Promise<never>(() => undefined);
  const callbacks = jest.spyOn(ended, 'then');
  await collected(piecesUntil(numbers(100), ended));
  expect(callbacks).toHaveBeenCalledTimes(1);
});
