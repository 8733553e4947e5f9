import { z } from 'zod';
import { invalidFields } from '../../../http/field-errors.js';
import { invalidValues } from '../../request-texts.js';

const eventId = z.string().max(512).nullish();

/** The events of a client that are read (openapi.yaml, RealtimeClientEvent…); further fields are ignored. */
const clientEvent = z.discriminatedUnion('type', [
  z
    .object({ type: z.literal('session.update'), event_id: eventId, session: z.looseObject({ type: z.string().optional() }).optional(), model: z.string().max(200).optional() })
    .refine(({ session, model }) => session !== undefined || model !== undefined, { path: ['session'], error: 'The update has no session.' }),
  z.object({ type: z.literal('transcription_session.update'), event_id: eventId, session: z.looseObject({}) }),
  z.object({ type: z.literal('input_audio_buffer.append'), event_id: eventId, audio: z.base64('The audio is not Base64.') }),
  z.object({ type: z.literal('input_audio_buffer.commit'), event_id: eventId, final: z.boolean().nullish() }),
  z.object({ type: z.literal('input_audio_buffer.clear'), event_id: eventId }),
]);
export type RealtimeClientEvent = z.output<typeof clientEvent>;

/** An event for the client, before it has its id. */
export interface RealtimeServerEvent {
  type: string;
  [field: string]: unknown;
}

/** @throws AppError invalid_request with the field that is wrong */
export function readClientEvent(event: unknown): RealtimeClientEvent {
  const { data, error } = clientEvent.safeParse(event, { reportInput: true });
  if (data) return data;
  throw invalidValues(error);
}

/** @throws AppError invalid_request */
export function parseClientEvent(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidFields([{ pointer: '', code: 'malformed_json', detail: 'The event is not JSON.' }]);
  }
}

/** The event's own name for itself, which errors repeat. */
export function eventIdOf(event: unknown): string | undefined {
  const { data } = z.object({ event_id: z.string().max(512) }).safeParse(event);
  return data?.event_id;
}
