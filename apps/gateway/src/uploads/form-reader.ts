import type { IncomingMessage } from 'node:http';
import { addAbortSignal } from 'node:stream';
import type { MultipartFile } from '@fastify/multipart';
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
 * Reads a form as it comes in, fields before or after the file, which is in the part named `fileField`. `takeFile` must read the file to its end or throw. All of
 * the form but the file's content may have as many bytes as a JSON body.
 * @throws AppError for a form that cannot be read or is too large, what `takeFile` throws, the reason of the signal
 */
export async function readForm(
  request: FastifyRequest,
  { maxFileBytes, signal: ended, fileField = 'file' }: { maxFileBytes: number; signal: AbortSignal; fileField?: string },
  takeFile: (file: FormFile, fieldsBefore: FormFields) => Promise<void>,
): Promise<FormFields> {
  const fields: FormFields = {};
  // One byte more than the store takes, so that it is the store that refuses.
  const limits = { files: 1, fields: MAX_FIELDS, parts: MAX_FIELDS + 1, fieldSize: MAX_FIELD_BYTES, fileSize: maxFileBytes + 1 };
  const size = boundFormBytes(request.raw, request.server.maxJsonBytes);
  const signal = AbortSignal.any([ended, size.signal]);
  try {
    for await (const part of untilAborted(request.parts({ limits }), signal)) {
      if (part.type === 'file') {
        if (part.fieldname !== fileField) throw invalidFields([unknownField(part.fieldname, fileField)]);
        size.except(part.file);
        addAbortSignal(signal, part.file);
        await takeFile({ body: reasoned(part.file, signal), fileName: fileNameOf(part.filename) }, fields);
      } else {
        if (part.valueTruncated) throw invalidFields([tooLong(part.fieldname)]);
        addField(fields, part.fieldname, textOf(part.value));
      }
    }
    size.check();
    size.signal.throwIfAborted();
  } catch (error) {
    throw formError(error);
  } finally {
    size.stop();
  }
  return fields;
}

/**
 * Counts the bytes of a form as they arrive: names, texts, the heads of parts and what is between them, but not the
 * content of the file. With more than `maxBytes` no more is read, and the signal is aborted with payload_too_large.
 */
function boundFormBytes(request: IncomingMessage, maxBytes: number) {
  const over = new AbortController();
  let received = 0;
  let file: MultipartFile['file'] | undefined;
  const isOver = () => received - (file?.bytesRead ?? 0) > maxBytes && (file === undefined || file.readableEnded);
  const check = () => {
    if (over.signal.aborted || !isOver()) return;
    request.unpipe();
    over.abort(new AppError({ kind: 'too_large', code: 'payload_too_large', message: `The fields of a form, with their names, may have at most ${maxBytes} bytes together.` }));
  };
  const count = (bytes: Buffer) => {
    received += bytes.length;
    // Later, when these bytes are parsed: a file may begin in them.
    if (isOver()) setImmediate(check);
  };
  request.on('data', count);
  const except = (part: MultipartFile['file']) => {
    file = part;
    // The fields behind the file may have arrived before the file was read to its end.
    part.once('end', () => setImmediate(check));
  };
  return { signal: over.signal, check, except, stop: () => void request.off('data', count) };
}

/** Stops waiting for a part when the signal is aborted. */
async function* untilAborted<T>(parts: AsyncIterator<T>, signal: AbortSignal): AsyncGenerator<T> {
  const aborted = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  for (;;) {
    const { value, done } = await Promise.race([parts.next(), aborted]);
    if (done) return;
    yield value;
  }
}

/** An aborted stream fails with the reason of its signal. */
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
const unknownField = (name: string, fileField: string): FieldError => ({ pointer: pointer(name), code: 'unknown_field', detail: `The file must be in the part named ${fileField}.` });
const tooLong = (name: string): FieldError => ({ pointer: pointer(name), code: 'too_long', detail: 'A form field may have at most 256 kB.' });

const LIMIT_MESSAGES: Record<string, FieldError> = {
  FST_PROTO_VIOLATION: { pointer: '', code: 'unknown_field', detail: 'A form field has a name that is not allowed, such as __proto__.' },
  FST_FILES_LIMIT: { pointer: '/file', code: 'too_long', detail: 'A form may contain only one file.' },
  FST_FIELDS_LIMIT: { pointer: '', code: 'too_long', detail: `A form may have at most ${MAX_FIELDS} fields.` },
  FST_PARTS_LIMIT: { pointer: '', code: 'too_long', detail: `A form may have at most ${MAX_FIELDS} fields and one file.` },
};

function formError(thrown: unknown): unknown {
  if (thrown instanceof AppError) return thrown;
  const code = (thrown as { code?: unknown } | null)?.code;
  const limit = typeof code === 'string' ? LIMIT_MESSAGES[code] : undefined;
  if (limit) return invalidFields([limit]);
  const isSystemError = typeof (thrown as { syscall?: unknown } | null)?.syscall === 'string';
  return isSystemError ? thrown : new AppError({ kind: 'invalid', code: 'malformed_request', message: 'The form ended before it was complete.', cause: thrown });
}
