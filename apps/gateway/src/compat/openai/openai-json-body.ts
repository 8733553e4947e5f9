import type { FastifyRequest } from 'fastify';
import { AppError } from '@parlance/platform';
import { z } from 'zod';
import { invalidFields } from '../../http/field-errors.js';
import { parseJson, readPieces } from '../../http/json-body.js';
import type { FormFields } from '../../uploads/form-reader.js';
import { invalidValues } from '../request-texts.js';
import { cutBase64, decodeBase64 } from './large-base64.js';

/** As large as OpenAI takes files, in Base64 and with other fields. A larger file is sent as a form, which is not held in memory. */
const MAX_FILE_BYTES = 25 * 1024 * 1024;
const MAX_BODY_BYTES = Math.ceil((MAX_FILE_BYTES * 4) / 3) + 256 * 1024;
const MAX_REST_BYTES = 256 * 1024;
const MAX_VALUES = 10_000;
/** Milliseconds for the body to arrive. */
const BODY_MS = 120_000;

const text = z.union([z.string(), z.number(), z.boolean()]).transform(String);
/** Fields of a form; others, such as OpenRouter's `provider`, are ignored. */
const field = z.union([text, z.array(text)]).optional().catch(undefined);

const jsonBody = z.looseObject({
  input_audio: z.object({ data: z.string(), format: z.string().regex(/^[a-z0-9]{1,10}$/i, 'Give the name of a format, such as wav or mp3.').default('bin') }),
});

interface JsonRequest {
  /** The file. */
  pieces: Buffer[];
  fileName: string;
  fields: FormFields;
}

/**
 * Reads a request of the form that OpenRouter has and its clients send: `input_audio` with the file in Base64, and the fields of a form.
 * @see https://openrouter.ai/docs/guides/overview/multimodal/stt
 * @param signal stops the reading
 * @throws AppError invalid_request, payload_too_large, malformed_json, request_timeout; the reason of the signal
 */
export async function readJsonRequest({ raw }: Pick<FastifyRequest, 'raw'>, signal: AbortSignal): Promise<JsonRequest> {
  const body = await readPieces(raw, { maxBytes: MAX_BODY_BYTES, timeoutMs: BODY_MS, signal });
  const { rest, base64 } = cutBase64(body, 'data', '"input_audio"') ?? { rest: body, base64: [] };
  if (bytesOf(rest) > MAX_REST_BYTES) throw new AppError({ kind: 'too_large', code: 'payload_too_large', message: `A JSON body may have at most ${MAX_REST_BYTES} bytes besides its file.` });
  const { data, error } = jsonBody.safeParse(parseJson(Buffer.concat(rest), { maxValues: MAX_VALUES }), { reportInput: true });
  if (error) throw invalidValues(error);
  const { input_audio: audio, ...others } = data;
  // Another string of this name may have been cut out.
  const file = audio.data === '' ? base64 : [Buffer.from(audio.data)];
  return { pieces: await decoded(file), fileName: `audio.${audio.format}`, fields: fieldsOf(others) };
}

const bytesOf = (pieces: readonly Buffer[]): number => pieces.reduce((sum, { byteLength }) => sum + byteLength, 0);

const URL_SCHEME = 'data:';

/** Some clients send a data URL (RFC 2397). */
async function decoded(base64: readonly Buffer[]): Promise<Buffer[]> {
  // The first piece may be of a few bytes.
  const head = Buffer.concat(base64.slice(0, 2));
  const isUrl = head.toString('latin1', 0, URL_SCHEME.length) === URL_SCHEME;
  const pieces = await decodeBase64([isUrl ? head.subarray(head.indexOf(',') + 1) : head, ...base64.slice(2)]);
  if (!pieces || bytesOf(pieces) === 0) throw invalidFields([{ pointer: '/input_audio/data', code: 'invalid_value', detail: 'The data is not Base64.' }]);
  return pieces;
}

function fieldsOf(others: Record<string, unknown>): FormFields {
  const fields: FormFields = {};
  for (const [name, value] of Object.entries(others)) {
    const given = field.parse(value);
    if (given !== undefined) fields[name] = given;
  }
  return fields;
}
