import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { invalidFields } from '../../http/field-errors.js';
import { readJsonBody } from '../../http/json-body.js';
import type { FormFields } from '../../uploads/form-reader.js';
import { invalidValues } from '../request-texts.js';

/** As large as OpenAI takes files, in Base64 and with other fields. A larger file is sent as a form, which is not held in memory. */
const MAX_FILE_BYTES = 25 * 1024 * 1024;
const MAX_BODY_BYTES = Math.ceil((MAX_FILE_BYTES * 4) / 3) + 256 * 1024;
const MAX_VALUES = 10_000;
/** Milliseconds for the body to arrive. */
const BODY_MS = 120_000;

const text = z.union([z.string(), z.number(), z.boolean()]).transform(String);
/** Fields of a form; others, such as OpenRouter's `provider`, are ignored. */
const field = z.union([text, z.array(text)]).optional().catch(undefined);

const jsonBody = z.looseObject({
  input_audio: z.object({ data: z.string().min(1), format: z.string().regex(/^[a-z0-9]{1,10}$/i, 'Give the name of a format, such as wav or mp3.').default('bin') }),
});

interface JsonRequest {
  bytes: Uint8Array;
  fileName: string;
  fields: FormFields;
}

/**
 * Reads a request of the form that OpenRouter has and its clients send: `input_audio` with the file in Base64, and the fields of a form.
 * @see https://openrouter.ai/docs/guides/overview/multimodal/stt
 * @throws AppError invalid_request, payload_too_large, malformed_json, request_timeout
 */
export async function readJsonRequest({ raw }: Pick<FastifyRequest, 'raw'>): Promise<JsonRequest> {
  const body = await readJsonBody(raw, { maxBytes: MAX_BODY_BYTES, maxValues: MAX_VALUES, timeoutMs: BODY_MS });
  const { data, error } = jsonBody.safeParse(body, { reportInput: true });
  if (error) throw invalidValues(error);
  const { input_audio: audio, ...others } = data;
  return { bytes: decoded(audio.data), fileName: `audio.${audio.format}`, fields: fieldsOf(others) };
}

/** Both alphabets of RFC 4648, with or without padding. */
const BASE64 = /^[\w+/-]+={0,2}$/;

/** Some clients send a data URL (RFC 2397). */
function decoded(data: string): Uint8Array {
  const encoded = (data.startsWith('data:') ? data.slice(data.indexOf(',') + 1) : data).replaceAll(/\s/g, '');
  // Node skips what is no Base64.
  if (!BASE64.test(encoded)) throw invalidFields([{ pointer: '/input_audio/data', code: 'invalid_value', detail: 'The data is not Base64.' }]);
  return Buffer.from(encoded, 'base64');
}

function fieldsOf(others: Record<string, unknown>): FormFields {
  const fields: FormFields = {};
  for (const [name, value] of Object.entries(others)) {
    const given = field.parse(value);
    if (given !== undefined) fields[name] = given;
  }
  return fields;
}
