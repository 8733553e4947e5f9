import { ApiError, withKey } from '../errors.js';
import type { CallOptions } from '../options.js';
import type { ChatAnswer, ChatStreamEvent, Schemas } from '../schemas.js';
import { eventsOf } from '../sse.js';
import { newIdempotencyKey, type Transport } from '../transport.js';

export type Question = Schemas['QuestionAcross'];

export class Chat {
  constructor(private readonly transport: Transport) {}

  /** Asks about all transcripts, or about that of `job_id`. */
  ask(question: Question, options?: CallOptions): Promise<ChatAnswer> {
    return this.transport.json({ method: 'POST', path: '/chat', json: question }, options);
  }

  /** The same while the answer is written: `delta`, `citations`, then `done` with the whole answer. @throws ApiError when the answer is interrupted */
  async *stream(question: Question, given: CallOptions = {}): AsyncGenerator<ChatStreamEvent> {
    const options = { ...given, idempotencyKey: given.idempotencyKey ?? newIdempotencyKey() };
    const response = await this.transport.stream({ method: 'POST', path: '/chat', json: question, headers: { accept: 'text/event-stream' } }, options);
    try {
      for await (const event of eventsOf<ChatStreamEvent>(response, ({ event }) => event === 'done')) {
        if (event.event === 'error') throw new ApiError(event.status, event, response.headers);
        yield event;
      }
    } catch (error) {
      throw withKey(error, options.idempotencyKey);
    }
  }
}
