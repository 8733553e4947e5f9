import { createParser } from 'eventsource-parser';

export interface ServerSentEvent {
  id: string | undefined;
  event: string | undefined;
  /** Parsed from JSON. */
  data: Record<string, unknown>;
}

/** The events of a response, as they come. Leaving the loop closes the connection. */
export async function* serverSentEvents(response: Response): AsyncGenerator<ServerSentEvent> {
  const received: ServerSentEvent[] = [];
  const parser = createParser({
    onEvent: ({ id, event, data }) => received.push({ id, event, data: JSON.parse(data) as ServerSentEvent['data'] }),
  });
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) {
    parser.feed(decoder.decode(bytes as Uint8Array, { stream: true }));
    yield* received.splice(0);
  }
}
