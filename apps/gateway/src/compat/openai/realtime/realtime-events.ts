import { z } from 'zod';
import { invalidFields } from '../../../http/field-errors.js';
import { boundedJson } from '../../../live/socket/bounded-json.js';
import { invalidValues } from '../../request-texts.js';
import { cutBase64, decodeBase64 } from '../large-base64.js';

/** An event that is parsed in one piece has no more; only events with audio are larger. */
const MAX_WHOLE_BYTES = 64 * 1024;

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
export function parseClientEvent(data: Buffer): unknown {
  if (data.byteLength > MAX_WHOLE_BYTES) throw malformed(`An event without audio may have up to ${MAX_WHOLE_BYTES} bytes.`);
  const { value, fault } = boundedJson(data);
  if (fault !== undefined) throw malformed(fault);
  return value;
}

/** An event with so much audio that parsing it as one JSON text would hold the event loop: 15 MiB take a tenth of a second. @returns undefined for other events */
export const largeEventOf = (data: Buffer): ReturnType<typeof cutBase64> => (data.byteLength <= MAX_WHOLE_BYTES ? undefined : cutBase64([data], 'audio'));

/** @throws AppError invalid_request */
export async function decodeLarge(base64: readonly Buffer[]): Promise<Buffer[]> {
  const pieces = await decodeBase64(base64);
  // Refused as a short one is.
  if (!pieces) readClientEvent({ type: 'input_audio_buffer.append', audio: '%' });
  return pieces ?? [];
}

/** The event's own name for itself, which errors repeat. */
export function eventIdOf(event: unknown): string | undefined {
  const { data } = z.object({ event_id: z.string().max(512) }).safeParse(event);
  return data?.event_id;
}

const malformed = (detail: string) => invalidFields([{ pointer: '', code: 'malformed_json', detail }]);
