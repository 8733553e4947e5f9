import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it } from '@jest/globals';
import { inCallersContext } from './in-callers-context.js';

const context = new AsyncLocalStorage<string>();

describe('items of a caller', () => {
  it('are made in its context, wherever they are read', async () => {
    const seen: (string | undefined)[] = [];
    async function* items() {
      for (const item of [1, 2]) {
        seen.push(context.getStore());
        yield item;
      }
    }
    const bound = context.run('caller', () => inCallersContext(items()));
    const read: [number, string | undefined][] = [];
    await context.run('callee', async () => {
      for await (const item of bound) read.push([item, context.getStore()]);
    });
    expect(seen).toEqual(['caller', 'caller']);
    expect(read).toEqual([[1, 'callee'], [2, 'callee']]);
  });

  it('end where they are read no further', async () => {
    let ended: string | undefined;
    async function* items() {
      try {
        yield 1;
        yield 2;
      } finally {
        ended = context.getStore();
      }
    }
    const bound = context.run('caller', () => inCallersContext(items()));
    for await (const item of bound) if (item === 1) break;
    expect(ended).toBe('caller');
  });
});
