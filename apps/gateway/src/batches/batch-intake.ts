import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { TimeSlices, toAppError, type AppError, type FieldError, type IdGenerator } from '@parlance/platform';
import { ID_GENERATOR } from '@parlance/runtime';
import { requireReader } from '../deliveries/webhook-include.js';
import { bodyPointer, invalidFields } from '../http/field-errors.js';
import { addErrors, check } from '../http/request-input.js';
import { withoutNulls } from '../http/without-nulls.js';
import { JobHeaders } from '../transcriptions/job-headers.js';
import { newTranscriptionSchema, type UploadOptions } from '../transcriptions/job-options-schema.js';
import { RequestRules } from '../transcriptions/request-rules.js';
import { trackOptions } from '../transcriptions/track-options.js';
import { isOpen, measured, type BatchItem, type ItemError, type ItemRequest } from './batch.js';
import { customId as customIdSchema } from './batch-schema.js';

type NewItem = Omit<BatchItem, 'createdAt'>;

type WholeRequest = Pick<ItemRequest, 'source' | 'sealedCallbackHeaders'> & { options: UploadOptions };

interface SubmittedBatch {
  id: string;
  accountId: string;
  /** Options of every item that does not state them. */
  defaults: Readonly<Record<string, unknown>>;
  /** The same as checked, with what the schema fills in. Items store only what differs from them. */
  shared: Partial<UploadOptions>;
  items: readonly unknown[];
  /** As of `JobOrigin`. */
  mayRead: boolean;
}

interface ItemOwner extends Pick<SubmittedBatch, 'accountId' | 'mayRead'> {
  jobId: string;
}

/** Checks the items of a batch, each as the body of a creation. A wrong one is refused alone. */
@Injectable()
export class BatchIntake {
  constructor(
    @Inject(RequestRules) private readonly rules: Pick<RequestRules, 'violations'>,
    @Inject(JobHeaders) private readonly headers: JobHeaders,
    @Inject(ID_GENERATOR) private readonly ids: IdGenerator,
  ) {}

  async itemsOf({ id, accountId, defaults, shared, items, mayRead }: SubmittedBatch): Promise<NewItem[]> {
    const slices = new TimeSlices();
    const checked: NewItem[] = [];
    for (const [index, given] of items.entries()) {
      await slices.next();
      const jobId = this.ids.next('job');
      const item = { id: itemId(id, index), accountId, batchId: id, index, jobId, hasJob: false, jobVersion: 0, ...namedBy(given) };
      const { request, ...outcome } = await this.outcomeOf(withDefaults(defaults, given), { accountId, jobId, mayRead });
      checked.push(measured({ ...item, ...outcome, ...(request && { request: differing(request, shared) }) }));
    }
    return checked;
  }

  private async outcomeOf(body: unknown, owner: ItemOwner): Promise<Pick<BatchItem, 'state' | 'open' | 'error'> & { request?: WholeRequest }> {
    try {
      return { state: 'pending', open: isOpen('pending'), request: await this.requestOf(body, owner) };
    } catch (error) {
      return { state: 'refused', open: isOpen('refused'), error: itemError(toAppError(error)) };
    }
  }

  /** @throws AppError with every wrong field of the item */
  private async requestOf(body: unknown, { accountId, jobId, mayRead }: ItemOwner): Promise<WholeRequest> {
    const errors: FieldError[] = [];
    const valid = check(newTranscriptionSchema, withoutNulls(newTranscriptionSchema, body), bodyPointer, errors);
    addErrors(errors, await this.rules.violations(body));
    if (!valid || errors.length > 0) throw invalidFields(errors);
    requireReader(mayRead, valid.callback_include);
    const { audio_url: audioUrl, upload_id: uploadId, audio_headers: headers, callback_headers: _sealed, files, ...options } = valid;
    const sealed = this.headers.sealCallback(valid, accountId, jobId);
    const request = { options, ...(sealed !== undefined && { sealedCallbackHeaders: sealed }) };
    if (files) return { ...request, source: { uploadIds: files.map((file) => file.upload_id) }, options: trackOptions(files, options) };
    if (uploadId !== undefined) return { ...request, source: { uploadIds: [uploadId] } };
    return { ...request, source: { audioUrl: audioUrl ?? '', ...(headers && { sealedHeaders: this.headers.sealAudio(headers, accountId, jobId) }) } };
  }
}

/** The request without what it has in common with the other items: a thousand copies of large defaults would fill the store. */
function differing({ options, ...request }: WholeRequest, shared: Partial<UploadOptions>): ItemRequest {
  const own = Object.entries(options).filter(([name, value]) => !isDeepStrictEqual(value, shared[name as keyof UploadOptions]));
  const without = Object.keys(shared).filter((name) => !(name in options));
  return { ...request, options: Object.fromEntries(own), ...(without.length > 0 && { without }) };
}

/** The options of an item, as it stores them, over those of its batch. */
export function wholeOptions({ options, without = [] }: ItemRequest, shared: Partial<UploadOptions> = {}): UploadOptions {
  const inherited = Object.entries(shared).filter(([name]) => !without.includes(name));
  return { ...Object.fromEntries(inherited), ...options } as UploadOptions;
}

/** Sorts as the index does. */
const itemId = (batchId: string, index: number): string => `${batchId}_${String(index).padStart(4, '0')}`;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The body of the creation: the item without its name, over the defaults. A null stands for a default that the item does not want. */
function withDefaults(defaults: Readonly<Record<string, unknown>>, item: unknown): unknown {
  if (!isObject(item)) return item;
  const { custom_id: customId, ...body } = item;
  const isNamed = customId === undefined || customId === null || customIdSchema.safeParse(customId).success;
  return { ...defaults, ...body, ...(!isNamed && { custom_id: customId }) };
}

function namedBy(item: unknown): Pick<BatchItem, 'customId'> {
  const { data: customId } = customIdSchema.safeParse(isObject(item) ? item['custom_id'] : undefined);
  return customId === undefined ? {} : { customId };
}

/** The error of a refused item, as its problem would have been. */
export function itemError({ code, message, retryable, fields }: AppError): ItemError {
  return { code, message, retryable, ...(fields.length > 0 && { fields: [...fields] }) };
}
