import { Inject, Injectable } from '@nestjs/common';
import type { FieldError } from '@parlance/platform';
import type { PutResult } from '@parlance/storage';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { bodyPointer, invalidFields } from '../http/field-errors.js';
import { addErrors, check } from '../http/request-input.js';
import { withoutNulls } from '../http/without-nulls.js';
import { readForm, type FormFields, type FormFile } from '../uploads/form-reader.js';
import { formValues } from '../uploads/form-values.js';
import type { UploadOwner } from '../uploads/upload-leases.js';
import { RequestWatches } from '../uploads/request-watches.js';
import { UploadStore } from '../uploads/upload-store.js';
import { newTranscriptionSchema, uploadOptionsSchema, type UploadOptions } from './job-options-schema.js';
import type { NewJob } from './job-requests.js';
import { RequestRules } from './request-rules.js';

interface ReceivedFile extends PutResult {
  fileName: string | undefined;
}

/** A form that has arrived. */
export interface ReceivedForm {
  file: ReceivedFile | undefined;
  fields: FormFields;
}

/** The job of a form: `uploadId` where it names an upload that is stored already. */
type FormJob = NewJob | { source: { $case: 'uploadId'; value: string }; options: UploadOptions };

/** A form on its way in, with a file of so many bytes at most. */
export interface UploadForm {
  http: FastifyRequest;
  /** The id of the key or token whose end ends the upload. */
  credentialId: string;
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
    @Inject(RequestWatches) private readonly watches: RequestWatches,
  ) {}

  /** Reads a form again that is stored already, to compare it. */
  digest(form: UploadForm): Promise<ReceivedForm> {
    return this.receive(form, (body) => this.uploads.digest(body, form.maxBytes));
  }

  /** An upload may take days: it ends with its key, or when its account is disabled. */
  async receive({ http, credentialId, maxBytes }: UploadForm, take: (body: AsyncIterable<Uint8Array>) => Promise<PutResult>): Promise<ReceivedForm> {
    let file: ReceivedFile | undefined;
    const { signal, stop } = this.watches.start(http, credentialId, maxBytes);
    const takeFile = async ({ body, fileName }: FormFile, before: FormFields) => {
      await this.refuseEarly(before);
      file = { ...(await take(body)), fileName };
    };
    try {
      const fields = await readForm(http, { maxFileBytes: maxBytes, signal }, takeFile);
      return { file, fields };
    } finally {
      stop();
    }
  }

  /** A field that is wrong is wrong whatever follows: no need to take gigabytes first. */
  private async refuseEarly(fields: FormFields): Promise<void> {
    await this.validOptions(uploadOptionsSchema, fields, sourceErrors(fields, true));
  }

  /** @throws AppError listing every wrong field */
  async jobOf({ file, fields }: ReceivedForm, owner: UploadOwner): Promise<FormJob> {
    if (!file) {
      const errors = sourceErrors(fields, false);
      if (!('audio_url' in fields || 'upload_id' in fields)) throw invalidFields(errors);
      const { audio_url: audioUrl, audio_headers: audioHeaders, upload_id: uploadId, files: _, ...options } = await this.validOptions(newTranscriptionSchema, fields, errors);
      return uploadId === undefined ? { source: { $case: 'audioUrl', value: audioUrl ?? '' }, options, audioHeaders } : { source: { $case: 'uploadId', value: uploadId }, options };
    }
    const options = await this.validOptions(uploadOptionsSchema, fields, sourceErrors(fields, true));
    const { sizeBytes, sha256, fileName } = file;
    return { source: { $case: 'upload', value: { mediaKey: this.uploads.keyOf(owner), sizeBytes, sha256, fileName, uploadIds: [] } }, options };
  }

  private async validOptions<S extends z.ZodType>(schema: S, fields: FormFields, errors: FieldError[]): Promise<z.output<S>> {
    const values = withoutNulls(schema, formValues(fields)) as Record<string, unknown>;
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
  if (hasFile && fields.upload_id !== undefined) errors.push({ pointer: '/upload_id', code: 'invalid_value', detail: 'Send a file or an upload_id, not both.' });
  const hasSource = hasFile || fields.file !== undefined || fields.audio_url !== undefined || fields.upload_id !== undefined;
  return hasSource ? errors : [{ pointer: '/file', code: 'required', detail: 'A file, an audio_url or an upload_id is required.' }];
}

/** The path that curl should have read, when the text looks like one. */
const pathIn = (text: string | string[]): string => (typeof text === 'string' && /^[^\s\p{C}][^\p{C}]{0,99}$/u.test(text) ? text : 'path');
