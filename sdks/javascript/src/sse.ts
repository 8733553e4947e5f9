import { ConnectionError, ParlanceError } from './errors.js';
import type { CallOptions } from './options.js';
import { pauseBefore } from './retries.js';
import type { Request, Transport } from './transport.js';

interface ServerSentEvent {
  id: string | undefined;
  data: string;
}

/** Reads Server-Sent Events (WHATWG HTML, 9.2). Comments, such as heartbeats, are left out. */
export async function* serverSentEvents(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  let fields: { id?: string; data: string[] } = { data: [] };
  for await (const line of linesOf(pieces)) {
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (name === 'data') fields.data.push(value);
    if (name === 'id') fields.id = value;
    if (line !== '') continue;
    if (fields.data.length > 0) yield { id: fields.id, data: fields.data.join('\n') };
    fields = { data: [] };
  }
}

/** Lines that are complete; each may end with CR, LF or both. */
async function* linesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of pieces) {
    const text = rest + decoder.decode(piece, { stream: true });
    // A CR at the end may be half of a CRLF.
    const lines = text.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

/** Events of an answer that cannot be resumed. The last one is the one that `isLast` accepts. @throws ConnectionError when the answer ends before it */
export async function* eventsOf<Event>(pieces: AsyncIterable<Uint8Array>, isLast: (event: Event) => boolean): AsyncGenerator<Event & { id?: string }> {
  for await (const { id, data } of serverSentEvents(pieces)) {
    const event = { ...parsed<Event>(data), ...(id !== undefined && { id }) };
    yield event;
    if (isLast(event)) return;
  }
  throw new ConnectionError('The stream ended before its last event.');
}

function parsed<Event>(data: string): Event {
  try {
    return JSON.parse(data) as Event;
  } catch (cause) {
    throw new ConnectionError('The stream has an event that is not JSON.', { cause });
  }
}

export interface FollowOptions extends CallOptions {
  /** Continues after the event with this `id`. */
  lastEventId?: string;
}

/** Events of a stream that is opened again with `Last-Event-ID` when its connection breaks, until its last event. */
export async function* follow<Event>(transport: Transport, request: Request, isLast: (event: Event) => boolean, options: FollowOptions): AsyncGenerator<Event & { id?: string }> {
  let { lastEventId } = options;
  for (let failures = 0; ; failures++) {
    try {
      // The retries are counted here, over all connections without an event.
      const response = await transport.stream({ ...request, headers: { accept: 'text/event-stream', 'last-event-id': lastEventId } }, { ...options, maxRetries: 0 });
      // The server has nothing after the last event.
      if (response.status === 204) return;
      for await (const event of eventsOf<Event>(response, isLast)) {
        failures = 0;
        lastEventId = event.id ?? lastEventId;
        yield event;
      }
      return;
    } catch (error) {
      if (error instanceof ParlanceError) error.attempts = failures + 1;
      const pause = failures < transport.maxRetriesOf(options) && error instanceof ParlanceError ? pauseBefore(failures, error) : undefined;
      if (pause === undefined) throw error;
      await transport.pause({ error, attempts: failures + 1, pauseMs: pause }, options.signal);
    }
  }
}
