import { EventEmitter, once } from 'node:events';
import type { ServerWritableStream } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import { AppError } from '@parlance/platform';
import { firstValueFrom, lastValueFrom, toArray } from 'rxjs';
import { grpcStream } from './grpc-stream.js';

/** The part of a call that the stream looks at. */
class Call extends EventEmitter {
  writableNeedDrain = false;
  cancelled = false;
  get asCall(): ServerWritableStream<unknown, number> {
    return this as unknown as ServerWritableStream<unknown, number>;
  }
}

describe('a gRPC answer from an async iterable', () => {
  it('goes no faster than the client reads', async () => {
    const call = new Call();
    let produced = 0;
    async function* numbers() {
      for (; produced < 3; ) yield (produced += 1);
    }
    const received = lastValueFrom(grpcStream(call.asCall, numbers).pipe(toArray()));
    call.writableNeedDrain = true;
    await new Promise((resolve) => setImmediate(resolve));
    expect(produced).toBe(1);
    call.writableNeedDrain = false;
    call.emit('drain');
    expect(await received).toEqual([1, 2, 3]);
  });

  it('ends the source when the client goes', async () => {
    const call = new Call();
    let ended = false;
    async function* endless() {
      try {
        for (let index = 0; ; index += 1) yield index;
      } finally {
        ended = true;
      }
    }
    await firstValueFrom(grpcStream(call.asCall, endless));
    await new Promise((resolve) => setImmediate(resolve));
    expect(ended).toBe(true);
  });

  it('tells a source that waits that the client is gone', async () => {
    const call = new Call();
    let reason: unknown;
    async function* waiting(over: AbortSignal): AsyncGenerator<number> {
      yield 1;
      const told = once(over, 'abort');
      call.emit('cancelled');
      await told;
      reason = over.reason;
    }
    grpcStream(call.asCall, waiting).subscribe();
    await new Promise((resolve) => setImmediate(resolve));
    expect(reason).toMatchObject({ kind: 'canceled' });
  });

  it('carries an error with its code', async () => {
    async function* failing(): AsyncGenerator<number> {
      yield* [];
      throw new AppError({ kind: 'not_found', code: 'not_found', message: 'The job was not found.' });
    }
    await expect(lastValueFrom(grpcStream(new Call().asCall, failing))).rejects.toMatchObject({ code: 'not_found', message: 'The job was not found.' });
  });
});
