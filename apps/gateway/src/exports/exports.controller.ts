import { Readable } from 'node:stream';
import { Controller, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { nameResources } from '../audit/audit-requests.js';
import { BatchRecords } from '../batches/batch-records.js';
import { OpenStreams } from '../http/open-streams.js';
import type { InputOf } from '../http/request-input.js';
import { Input, Serves } from '../http/serves.js';
import type { Caller } from '../keys/authenticator.js';
import { CurrentCaller } from '../keys/current-caller.js';
import { requireInProject } from '../keys/project-boundary.js';
import { atReadersPace } from '../transcripts/reader-pace.js';
import { ExportArchive } from './export-archive.js';
import { createExport } from './export-operations.js';

@Controller()
export class ExportsController {
  constructor(
    @Inject(ExportArchive) private readonly archive: ExportArchive,
    @Inject(BatchRecords) private readonly batches: BatchRecords,
    @Inject(OpenStreams) private readonly streams: OpenStreams,
  ) {}

  @Serves(createExport)
  async create(@Input() { body }: InputOf<typeof createExport>, @CurrentCaller() { accountId, projectId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    if (body.batch_id !== undefined) requireInProject({ projectId }, await this.batches.get(accountId, body.batch_id), 'The batch');
    const jobIds = await this.archive.select({ accountId, projectId }, body);
    nameResources(reply.request, [...(body.batch_id === undefined ? [] : [body.batch_id]), ...jobIds]);
    const signal = await this.streams.hold(reply);
    const bytes = atReadersPace(this.archive.bytes({ accountId, projectId }, jobIds, body.formats, signal), reply.raw);
    void reply.headers({ 'content-type': 'application/zip', 'content-disposition': 'attachment; filename="transcripts.zip"', 'cache-control': 'private, no-store' }).send(Readable.from(bytes, { objectMode: false }));
  }
}
