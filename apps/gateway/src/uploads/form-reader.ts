import { addAbortSignal } from 'node:stream';
import '@fastify/multipart';
import { AppError, type FieldError } from '@parlance/platform';
import type { FastifyRequest } from 'fastify';
import { invalidFields } from '../http/field-errors.js';
import { fileNameOf } from './file-name.js';

export interface FormFile {
  body: AsyncIterable<Uint8Array>;
  fileName: string | undefined;
}

/** The text fields by name; a name given more than once has the texts in order. */
export type FormFields = Record<string, string | string[]>;

const MAX_FIELDS = 100;
const MAX_FIELD_BYTES = 256 * 1024;

/**
 * Reads a form as it comes in, fields before or after the file. `takeFile` must read the file to its end or throw.
 * @throws AppError for a form that cannot be read, what `takeFile` throws, the reason of the signal
 */
export async function readForm(
  request: FastifyRequest,
  { maxFileBytes, signal }: { maxFileBytes: number; signal: AbortSignal },
  takeFile: (file: FormFile, fieldsBefore: FormFields) => Promise<void>,
): Promise<FormFields> {
  const fields: FormFields = {};
  // One byte more than the store takes, so that it is the store that refuses.
  const limits = { files: 1, fields: MAX_FIELDS, parts: MAX_FIELDS + 1, fieldSize: MAX_FIELD_BYTES, fileSize: maxFileBytes + 1 };
  try {
    for await (const part of untilAborted(request.parts({ limits }), signal)) {
      if (part.type === 'file') {
        if (part.fieldname !== 'file') throw invalidFields([unknownField(part.fieldname)]);
        addAbortSignal(signal, part.file);
        await takeFile({ body: reasoned(part.file, signal), fileName: fileNameOf(part.filename) }, fields);
      } else {
        if (part.valueTruncated) throw invalidFields([tooLong(part.fieldname)]);
        addField(fields, part.fieldname, textOf(part.value));
      }
    }
  } catch (error) {
    throw formError(error);
  }
  return fields;
}

/** A part that does not come keeps nobody waiting. */
async function* untilAborted<T>(parts: AsyncIterator<T>, signal: AbortSignal): AsyncGenerator<T> {
  const aborted = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  for (;;) {
    const { value, done } = await Promise.race([parts.next(), aborted]);
    if (done) return;
    yield value;
  }
}

/** A stream that was aborted tells why. */
async function* reasoned(body: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function addField(fields: FormFields, name: string, text: string): void {
  const before = fields[name];
  fields[name] = before === undefined ? text : [before, text].flat();
}

const pointer = (name: string) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
const unknownField = (name: string): FieldError => ({ pointer: pointer(name), code: 'unknown_field', detail: 'The file goes into the part named file.' });
const tooLong = (name: string): FieldError => ({ pointer: pointer(name), code: 'too_long', detail: 'A field of a form may have 256 kB.' });

const LIMIT_MESSAGES: Record<string, FieldError> = {
  FST_PROTO_VIOLATION: { pointer: '', code: 'unknown_field', detail: 'A field has a name that no field has, such as __proto__.' },
  FST_FILES_LIMIT: { pointer: '/file', code: 'too_long', detail: 'A form may have one file.' },
  FST_FIELDS_LIMIT: { pointer: '', code: 'too_long', detail: `A form may have ${MAX_FIELDS} fields.` },
  FST_PARTS_LIMIT: { pointer: '', code: 'too_long', detail: `A form may have ${MAX_FIELDS} fields and one file.` },
};

function formError(thrown: unknown): unknown {
  if (thrown instanceof AppError) return thrown;
  const code = (thrown as { code?: unknown } | null)?.code;
  const limit = typeof code === 'string' ? LIMIT_MESSAGES[code] : undefined;
  if (limit) return invalidFields([limit]);
  const isSystemError = typeof (thrown as { syscall?: unknown } | null)?.syscall === 'string';
  return isSystemError ? thrown : new AppError({ kind: 'invalid', code: 'malformed_request', message: 'The form could not be read to its end.', cause: thrown });
}
