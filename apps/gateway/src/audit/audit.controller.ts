import { Readable } from 'node:stream';
import { Controller, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { acceptWeights } from '../http/accept.js';
import { OpenStreams } from '../http/open-streams.js';
import type { InputOf } from '../http/request-input.js';
import { Input, Serves } from '../http/serves.js';
import type { Caller } from '../keys/authenticator.js';
import { CurrentCaller } from '../keys/current-caller.js';
import { auditRecordJson } from './audit-chain.js';
import { nameResources } from './audit-requests.js';
import { listAudit, NDJSON } from './audit-operations.js';
import { AuditReader, type AuditFilter } from './audit-reader.js';

@Controller()
export class AuditController {
  constructor(
    @Inject(AuditReader) private readonly reader: AuditReader,
    @Inject(OpenStreams) private readonly streams: OpenStreams,
  ) {}

  @Serves(listAudit)
  async list(@Input() { query }: InputOf<typeof listAudit>, @CurrentCaller() { accountId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    const { limit, cursor, created_after: after, created_before: before, action, actor, resource } = query;
    const filter = { accountId, after, before, action, actor, resource };
    const [json = 0, lines = 0] = acceptWeights(reply.request.headers.accept, ['application/json', NDJSON]);
    if (lines > json) return this.export(filter, reply);
    const { records, nextCursor } = await this.reader.page(filter, { limit, cursor });
    // Ids in records are not what this request reads.
    nameResources(reply.request, []);
    void reply.send({ data: records.map(auditRecordJson), next_cursor: nextCursor });
  }

  private async export(filter: AuditFilter, reply: FastifyReply): Promise<void> {
    const lines = reply.request.method === 'HEAD' ? [] : this.lines(filter, await this.streams.hold(reply));
    void reply.headers({ 'content-type': NDJSON, 'content-disposition': 'attachment; filename="audit.ndjson"', 'cache-control': 'private, no-store' }).send(Readable.from(lines, { objectMode: false }));
  }

  private async *lines(filter: AuditFilter, signal: AbortSignal): AsyncGenerator<string> {
    for await (const record of this.reader.all(filter)) {
      signal.throwIfAborted();
      yield `${JSON.stringify(auditRecordJson(record))}\n`;
    }
  }
}
