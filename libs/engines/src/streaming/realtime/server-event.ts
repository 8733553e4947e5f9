import { z } from 'zod';
import { unreadableEvent } from './realtime-failure.js';

const TRANSCRIPTION = 'conversation.item.input_audio_transcription';
const fault = z.object({ type: z.string().nullish(), code: z.string().nullish() });

/** The events of OpenAI's realtime transcription sessions that are read; further fields and further events are ignored. */
const serverEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('input_audio_buffer.committed'), item_id: z.string(), previous_item_id: z.string().nullish() }),
  z.object({ type: z.literal(`${TRANSCRIPTION}.delta`), item_id: z.string(), delta: z.string().nullish() }),
  z.object({ type: z.literal(`${TRANSCRIPTION}.completed`), item_id: z.string(), transcript: z.string() }),
  z.object({ type: z.literal(`${TRANSCRIPTION}.failed`), item_id: z.string(), error: fault.nullish() }),
  z.object({ type: z.literal('error'), error: fault.nullish() }),
]);

export type ServerEvent = z.output<typeof serverEvent>;

const READ: ReadonlySet<string> = new Set(serverEvent.options.map(({ shape }) => shape.type.value));

/** Undefined for an event that is not read. @throws AppError engine_failed where it is no event, or one that is read has another form */
export function readServerEvent(text: string): ServerEvent | undefined {
  try {
    const event: unknown = JSON.parse(text);
    const { type } = z.object({ type: z.string() }).parse(event);
    return READ.has(type) ? serverEvent.parse(event) : undefined;
  } catch {
    // The parser's error quotes the server, whose text may hold the key.
    throw unreadableEvent();
  }
}
