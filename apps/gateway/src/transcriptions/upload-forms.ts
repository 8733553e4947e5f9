import { Inject, Injectable } from '@nestjs/common';
import type { FieldError } from '@parlance/platform';
import type { PutResult } from '@parlance/storage';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { bodyPointer, invalidFields } from '../http/field-errors.js';
import { addErrors, check } from '../http/request-input.js';
import { KeyEndings } from '../keys/key-endings.js';
import { readForm, type FormFields, type FormFile } from '../uploads/form-reader.js';
import { formValues } from '../uploads/form-values.js';
import type { UploadOwner } from '../uploads/upload-leases.js';
import { watchUpload } from '../uploads/upload-pace.js';
import { UploadStore } from '../uploads/upload-store.js';
import type { NewJob } from './creation.js';
import { newTranscriptionSchema, uploadOptionsSchema } from './job-options-schema.js';
import { RequestRules } from './request-rules.js';

interface ReceivedFile extends PutResult {
  fileName: string | undefined;
}

/** A form that has arrived. */
export interface ReceivedForm {
  file: ReceivedFile | undefined;
  fields: FormFields;
}

/** A form on its way in, with a file of so many bytes at most. */
export interface UploadForm {
  http: FastifyRequest;
  /** The id of the request's API key. */
  keyId: string;
  maxBytes: number;
  /** The size of the file and the form around it, by Content-Length; 0 without one. */
  expectedBytes: number;
}

/** Reads forms with a file as they arrive. */
@Injectable()
export class UploadForms {
  constructor(
    @Inject(UploadStore) private readonly uploads: UploadStore,
    @Inject(RequestRules) private readonly rules: RequestRules,
    @Inject(KeyEndings) private readonly keys: Pick<KeyEndings, 'watch'>,
  ) {}

  /** Reads a form again that is stored already, to compare it. */
  digest(form: UploadForm): Promise<ReceivedForm> {
    return this.receive(form, (body) => this.uploads.digest(body, form.maxBytes));
  }

  /** An upload may take days: it ends with its key, or when its account is disabled. */
  async receive({ http, keyId, maxBytes }: UploadForm, take: (body: AsyncIterable<Uint8Array>) => Promise<PutResult>): Promise<ReceivedForm> {
    let file: ReceivedFile | undefined;
    const pace = watchUpload(http.raw, this.uploads.limits.pace, maxBytes);
    const keyEnd = new AbortController();
    const unwatchKey = this.keys.watch(keyId, (why) => keyEnd.abort(why));
    const signal = AbortSignal.any([pace.signal, keyEnd.signal]);
    const takeFile = async ({ body, fileName }: FormFile, before: FormFields) => {
      await this.refuseEarly(before);
      file = { ...(await take(body)), fileName };
    };
    try {
      const fields = await readForm(http, { maxFileBytes: maxBytes, signal }, takeFile);
      return { file, fields };
    } finally {
      unwatchKey();
      pace.stop();
    }
  }

  /** A field that is wrong is wrong whatever follows: no need to take gigabytes first. */
  private async refuseEarly(fields: FormFields): Promise<void> {
    await this.validOptions(uploadOptionsSchema, fields, sourceErrors(fields, true));
  }

  /** @throws AppError listing every wrong field */
  async jobOf({ file, fields }: ReceivedForm, owner: UploadOwner): Promise<NewJob> {
    if (!file) {
      const errors = sourceErrors(fields, false);
      if (!('audio_url' in fields)) throw invalidFields(errors);
      const body = await this.validOptions(newTranscriptionSchema, fields, errors);
      return { source: { $case: 'audioUrl', value: body.audio_url }, options: body };
    }
    const options = await this.validOptions(uploadOptionsSchema, fields, sourceErrors(fields, true));
    const { sizeBytes, sha256, fileName } = file;
    return { source: { $case: 'upload', value: { mediaKey: this.uploads.keyOf(owner), sizeBytes, sha256, fileName } }, options };
  }

  private async validOptions<S extends z.ZodType>(schema: S, fields: FormFields, errors: FieldError[]): Promise<z.output<S>> {
    const values = formValues(fields);
    const options = check(schema, values, bodyPointer, errors) as z.output<S> | undefined;
    addErrors(errors, await this.rules.violations(values));
    if (!options || errors.length > 0) throw invalidFields(errors);
    return options;
  }
}

/** The errors of a form's media source: it must be a file or a URL, and the file must be one. */
function sourceErrors(fields: FormFields, hasFile: boolean): FieldError[] {
  const errors: FieldError[] = [];
  if (fields.file !== undefined) errors.push({ pointer: '/file', code: 'invalid_type', detail: `This part has no file name, so it is not a file. Did you mean file=@${pathIn(fields.file)}?` });
  if (hasFile && fields.audio_url !== undefined) errors.push({ pointer: '/audio_url', code: 'invalid_value', detail: 'Send a file or an audio_url, not both.' });
  const hasSource = hasFile || fields.file !== undefined || fields.audio_url !== undefined;
  return hasSource ? errors : [{ pointer: '/file', code: 'required', detail: 'A file or an audio_url is required.' }];
}

/** The path that curl should have read, when the text looks like one. */
const pathIn = (text: string | string[]): string => (typeof text === 'string' && /^[^\s\p{C}][^\p{C}]{0,99}$/u.test(text) ? text : 'path');
