import { Controller, Inject, Req, Res } from '@nestjs/common';
import type { IdGenerator } from '@parlance/platform';
import { ID_GENERATOR } from '@parlance/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readInput, type InputOf } from '../http/request-input.js';
import { Input, Serves } from '../http/serves.js';
import { newIdOf } from '../idempotency/new-id.js';
import { canRead, credentialOf, type Caller } from '../keys/authenticator.js';
import { CurrentCaller } from '../keys/current-caller.js';
import { callerOf } from '../keys/key-guard.js';
import type { UploadOptions } from '../transcriptions/job-options-schema.js';
import { RequestRules } from '../transcriptions/request-rules.js';
import { BatchIntake } from './batch-intake.js';
import { batchJson, itemJson } from './batch-json.js';
import { cancelBatch, createBatch, getBatch, listBatches, listBatchItems } from './batch-operations.js';
import { BatchRecords } from './batch-records.js';
import type { BatchJson } from './batch-schema.js';
import { BatchWorker } from './batch-worker.js';
import type { Batch } from './batch.js';

@Controller()
export class BatchesController {
  constructor(
    @Inject(BatchRecords) private readonly records: BatchRecords,
    @Inject(BatchIntake) private readonly intake: BatchIntake,
    @Inject(BatchWorker) private readonly worker: BatchWorker,
    @Inject(RequestRules) private readonly rules: RequestRules,
    @Inject(ID_GENERATOR) private readonly ids: IdGenerator,
  ) {}

  @Serves(createBatch)
  async create(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const caller = callerOf(request);
    const { accountId, keyId, projectId } = caller;
    const { body, rawBody } = await readInput(createBatch, request, (raw) => this.rules.violations(callbackOf(raw)));
    const id = newIdOf('bat', request, this.ids);
    // Items are checked without the values that the schema fills in: an item of an upload has no other defaults than that of a URL.
    const { defaults } = rawBody as { defaults?: Record<string, unknown> | null };
    // As the envelope has checked them.
    const { callback_headers: _sealedByItem, ...shared } = (body.defaults ?? {}) as UploadOptions;
    const items = await this.intake.itemsOf({ id, accountId, defaults: defaults ?? {}, shared, items: body.items, mayRead: canRead(caller) });
    const { callback_url: callbackUrl } = body;
    const batch = await this.records.store({ id, accountId, keyId, credentialId: credentialOf(caller), total: items.length, ...(projectId !== undefined && { projectId }), ...(callbackUrl !== undefined && { callbackUrl }), ...(body.defaults && { defaults: shared }) }, items);
    await this.worker.wake(batch);
    void reply.status(202).header('location', `/api/v1/batches/${id}`).send(await this.json(batch));
  }

  @Serves(listBatches)
  async list(@Input() { query: { limit, cursor } }: InputOf<typeof listBatches>, @CurrentCaller() { accountId, projectId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    const { batches, nextCursor } = await this.records.list(accountId, { projectId, limit, cursor });
    void reply.send({ data: await Promise.all(batches.map((batch) => this.json(batch))), next_cursor: nextCursor });
  }

  @Serves(getBatch)
  async get(@Input() { params }: InputOf<typeof getBatch>, @CurrentCaller() { accountId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    void reply.send(await this.json(await this.records.get(accountId, params.batch_id)));
  }

  @Serves(listBatchItems)
  async items(@Input() { params, query: { status: state, limit, cursor } }: InputOf<typeof listBatchItems>, @CurrentCaller() { accountId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    const { id } = await this.records.get(accountId, params.batch_id);
    const { items, nextCursor } = await this.records.itemsOf(id, { state, limit, cursor });
    void reply.send({ data: items.map(({ document }) => itemJson(document)), next_cursor: nextCursor });
  }

  @Serves(cancelBatch)
  async cancel(@Input() { params }: InputOf<typeof cancelBatch>, @CurrentCaller() { accountId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    const batch = await this.records.cancel(accountId, params.batch_id);
    if (batch.state === 'processing') await this.worker.wake(batch);
    void reply.status(202).send(await this.json(batch));
  }

  private async json(batch: Batch): Promise<BatchJson> {
    return batchJson(batch, await this.records.counts(batch.id));
  }
}

/** The rest of the body is checked item by item. */
const callbackOf = (body: unknown) => ({ callback_url: (body as { callback_url?: unknown } | null | undefined)?.callback_url });
