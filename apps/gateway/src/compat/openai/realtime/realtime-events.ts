import { TimeSlices } from '@parlance/platform';
import { z } from 'zod';
import { invalidFields } from '../../../http/field-errors.js';
import { boundedJson } from '../../../live/socket/bounded-json.js';
import { invalidValues } from '../../request-texts.js';

/** An event that is parsed in one piece has no more; only events with audio are larger. */
const MAX_WHOLE_BYTES = 64 * 1024;
/** Characters of Base64 that are decoded at once. */
const DECODED_AT_ONCE = 256 * 1024;

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

/** The Base64 of a large event of audio, apart from the rest of its JSON. */
interface LargeEvent {
  rest: Buffer;
  base64: Buffer;
}

/** @throws AppError invalid_request */
export function parseClientEvent(data: Buffer): unknown {
  if (data.byteLength > MAX_WHOLE_BYTES) throw malformed(`An event without audio may have up to ${MAX_WHOLE_BYTES} bytes.`);
  const { value, fault } = boundedJson(data);
  if (fault !== undefined) throw malformed(fault);
  return value;
}

/**
 * Takes apart an event with so much audio that parsing it as one JSON text would hold the event loop: 15 MiB take a tenth of a second.
 * @returns undefined for other events
 */
export function largeEventOf(data: Buffer): LargeEvent | undefined {
  if (data.byteLength <= MAX_WHOLE_BYTES) return undefined;
  // Within a string of JSON the quotes would have backslashes, so that this is a key.
  const [key] = /"audio"\s*:\s*"/.exec(data.toString('latin1', 0, MAX_WHOLE_BYTES)) ?? [];
  if (key === undefined) return undefined;
  const start = data.indexOf(key, 0, 'latin1') + key.length;
  const end = data.indexOf('"', start, 'latin1');
  if (end === -1) return undefined;
  return { rest: Buffer.concat([data.subarray(0, start), data.subarray(end)]), base64: data.subarray(start, end) };
}

/** Decodes the audio in slices between which the event loop takes its turn. @throws AppError invalid_request */
export async function decodeLarge(base64: Buffer): Promise<Buffer[]> {
  const slices = new TimeSlices();
  const pieces: Buffer[] = [];
  let rest = '';
  for (let at = 0; at < base64.byteLength; at += DECODED_AT_ONCE) {
    const isLast = at + DECODED_AT_ONCE >= base64.byteLength;
    // A client may write `/` as `\/`, of which this slice may have the first half.
    const text = (rest + base64.toString('latin1', at, at + DECODED_AT_ONCE)).replaceAll('\\/', '/');
    const end = isLast ? text.length : text.length - (text.length % 4) - 4;
    const piece = text.slice(0, end);
    if (piece.length % 4 > 0 || !(isLast ? LAST : INNER).test(piece)) readClientEvent({ type: 'input_audio_buffer.append', audio: '%' });
    pieces.push(Buffer.from(piece, 'base64'));
    rest = text.slice(end);
    await slices.next();
  }
  return pieces;
}

const INNER = /^[A-Za-z0-9+/]*$/;
const LAST = /^[A-Za-z0-9+/]*={0,2}$/;

/** The event's own name for itself, which errors repeat. */
export function eventIdOf(event: unknown): string | undefined {
  const { data } = z.object({ event_id: z.string().max(512) }).safeParse(event);
  return data?.event_id;
}

const malformed = (detail: string) => invalidFields([{ pointer: '', code: 'malformed_json', detail }]);
