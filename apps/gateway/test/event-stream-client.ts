export interface ReceivedEvent {
  id: string;
  event: string;
  data: Record<string, unknown>;
}

/** The events of a `text/event-stream` answer as they come, and its comments. */
export async function* receivedEvents(response: Response, onComment: () => void = () => {}): AsyncGenerator<ReceivedEvent> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      if (block.startsWith(':')) onComment();
      else yield parse(block);
    }
  }
}

function parse(block: string): ReceivedEvent {
  const fields = Object.fromEntries(block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]));
  return { id: fields.id ?? '', event: fields.event ?? '', data: JSON.parse(fields.data ?? '{}') as Record<string, unknown> };
}
