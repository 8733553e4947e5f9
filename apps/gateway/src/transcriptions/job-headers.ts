import { Inject, Injectable } from '@nestjs/common';
import { invalidFields } from '../http/field-errors.js';
import { SealedHeaders, type Headers } from '../http/sealed-headers.js';

interface CallbackOptions {
  callback_url?: string | undefined;
  callback_headers?: Headers | undefined;
  callback_include?: readonly string[] | undefined;
}

/** Seals the headers of a job: those that its media is fetched with, and those of its webhooks. */
@Injectable()
export class JobHeaders {
  constructor(@Inject(SealedHeaders) private readonly headers: Pick<SealedHeaders, 'seal'>) {}

  /** @throws AppError not_supported where the operator has set no key */
  sealAudio(headers: Headers, accountId: string, jobId: string): string {
    return this.headers.seal(headers, `${accountId}/${jobId}`, '/audio_headers');
  }

  /** @throws AppError not_supported where the operator has set no key; invalid_value without a `callback_url` */
  sealCallback({ callback_url: url, callback_headers: headers, callback_include: include = [] }: CallbackOptions, accountId: string, jobId: string): string | undefined {
    if (url === undefined && include.length > 0) throw invalidFields([{ pointer: '/callback_include', code: 'invalid_value', detail: 'Contents belong to a callback_url.' }]);
    if (!headers) return undefined;
    if (url === undefined) throw invalidFields([{ pointer: '/callback_headers', code: 'invalid_value', detail: 'Headers belong to a callback_url.' }]);
    return this.sealForCallback(headers, accountId, jobId);
  }

  /** For a job that has its `callback_url` already. */
  sealForCallback(headers: Headers, accountId: string, jobId: string): string {
    return this.headers.seal(headers, `${accountId}/${jobId}`, '/callback_headers');
  }
}
