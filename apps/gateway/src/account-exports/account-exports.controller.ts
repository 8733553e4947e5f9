import { Readable } from 'node:stream';
import { Controller, Inject, Req, Res } from '@nestjs/common';
import { AppError, notFound } from '@parlance/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { InputOf } from '../http/request-input.js';
import { present } from '../http/schema.js';
import { Input, Serves } from '../http/serves.js';
import type { Caller } from '../keys/authenticator.js';
import { CurrentCaller } from '../keys/current-caller.js';
import { byteRange, isRangeCurrent } from '../recordings/byte-range.js';
import { atReadersPace } from '../transcripts/reader-pace.js';
import type { AccountExport } from './account-export.js';
import { deleteAccountExport, downloadAccountExport, exportAccount, getAccountExport } from './account-export-operations.js';
import { AccountExports } from './account-exports.js';
import { ExportArchiveStore } from './export-archive-store.js';
import { ExportWorker } from './export-worker.js';

/** The export of everything of an account. */
@Controller()
export class AccountExportsController {
  constructor(
    @Inject(AccountExports) private readonly exports: AccountExports,
    @Inject(ExportWorker) private readonly worker: Pick<ExportWorker, 'order'>,
    @Inject(ExportArchiveStore) private readonly archives: Pick<ExportArchiveStore, 'get' | 'size'>,
  ) {}

  @Serves(exportAccount)
  async create(@Input() { body }: InputOf<typeof exportAccount>, @CurrentCaller() { accountId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    const order = await this.exports.create(accountId, body.media);
    await this.worker.order(order);
    void reply.status(202).send(exportJson(order));
  }

  @Serves(getAccountExport)
  async get(@Input() _input: InputOf<typeof getAccountExport>, @CurrentCaller() { accountId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    void reply.send(exportJson(await this.exports.get(accountId)));
  }

  @Serves(downloadAccountExport)
  async download(@Input() _input: InputOf<typeof downloadAccountExport>, @CurrentCaller() { accountId }: Caller, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const order = await this.exports.get(accountId);
    if (order.status !== 'completed') throw new AppError({ code: 'invalid_state', reason: order.status === 'processing' ? 'not_ready' : 'stage_failed', message: `The export is ${order.status}.`, retryable: order.status === 'processing' });
    const sizeBytes = await this.archives.size(order);
    if (sizeBytes === undefined) throw notFound('The export');
    const etag = `"${order.exportId}"`;
    void reply.headers({ etag, 'accept-ranges': 'bytes', 'cache-control': 'private, no-store', 'content-type': 'application/zip', 'content-disposition': `attachment; filename="${order.exportId}.zip"` });
    const range = isRangeCurrent(request.headers['if-range']?.toString(), etag) ? rangeOf(request, reply, sizeBytes) : undefined;
    const { start, end } = range ?? { start: 0, end: sizeBytes };
    if (range) void reply.status(206).header('content-range', `bytes ${start}-${end - 1}/${sizeBytes}`);
    void reply.header('content-length', end - start);
    if (request.method === 'HEAD') return void reply.send(Readable.from([]));
    const pieces = atReadersPace(await this.archives.get(order, { start, end }), reply.raw);
    void reply.send(Readable.from(pieces, { objectMode: false }));
  }

  @Serves(deleteAccountExport)
  async delete(@Input() _input: InputOf<typeof deleteAccountExport>, @CurrentCaller() { accountId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    await this.exports.remove(await this.exports.get(accountId));
    void reply.status(204).send();
  }
}

/** @throws AppError range_not_satisfiable, with the size in the answer's head */
function rangeOf({ headers }: FastifyRequest, reply: FastifyReply, sizeBytes: number) {
  try {
    return byteRange(headers.range, sizeBytes);
  } catch (error) {
    void reply.header('content-range', `bytes */${sizeBytes}`);
    throw error;
  }
}

const exportJson = ({ exportId, status, hasMedia, files, sizeBytes, sha256, createdAt, completedAt, expiresAt }: AccountExport) =>
  present({ export_id: exportId, status, media: hasMedia, files, size_bytes: sizeBytes, sha256, created_at: createdAt, completed_at: completedAt, expires_at: expiresAt });
