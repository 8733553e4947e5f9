import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { KeptAnswer } from './idempotency-record.js';

/** Characters of a streamed answer that are kept. */
const MAX_STREAM_CHARACTERS = 1024 * 1024;

/** The headers that belong to the answer and not to the connection or the request. */
const KEPT_HEADERS = ['content-type', 'location', 'cache-control', 'etag'] as const;

type Keep = (answer: KeptAnswer | undefined) => Promise<void>;

/** A reply whose handler sends as always, but which goes out when it is released: what it says can be stored before. */
export class HeldReply {
  private payload: unknown;

  constructor(private readonly reply: FastifyReply) {
    reply.send = (payload) => {
      this.payload = payload;
      return reply;
    };
  }

  /** Sends go out at once again. */
  restore(): void {
    Reflect.deleteProperty(this.reply, 'send');
  }

  /** Sends what the handler gave, once `keep` has it; of a stream once its end is reached, undefined when that was not whole. */
  async release(keep: Keep): Promise<void> {
    const { reply, payload } = this;
    this.restore();
    if (payload instanceof Readable) return void reply.send(Readable.from(this.kept(payload, keep)));
    if (typeof payload === 'object' && payload !== null) reply.header('content-type', 'application/json; charset=utf-8');
    const body = payload === undefined ? '' : JSON.stringify(payload);
    await keep(this.answer(body));
    void reply.send(payload === undefined ? undefined : body);
  }

  private async *kept(source: Readable, keep: Keep): AsyncGenerator<string> {
    let text = '';
    let ended = false;
    try {
      for await (const piece of source) {
        const next = String(piece);
        if (text.length <= MAX_STREAM_CHARACTERS) text += next;
        yield next;
      }
      ended = true;
    } finally {
      const isWhole = ended && text.length <= MAX_STREAM_CHARACTERS && !FAILED.test(text);
      await keep(isWhole ? this.answer(text) : undefined);
    }
  }

  private answer(body: string): KeptAnswer {
    const headers = KEPT_HEADERS.flatMap((name) => {
      const value = this.reply.getHeader(name);
      return typeof value === 'string' ? [[name, value] as const] : [];
    });
    return { status: this.reply.statusCode, headers: Object.fromEntries(headers), body };
  }
}

/** The Server-Sent Event of a failure. */
const FAILED = /^event: error$/m;
