import { Readable } from 'node:stream';
import { Controller, Inject, Res } from '@nestjs/common';
import type { JobService } from '@parlance/contracts';
import { JOB_SERVICE } from '@parlance/runtime';
import type { FastifyReply } from 'fastify';
import { OpenStreams } from '../http/open-streams.js';
import type { InputOf } from '../http/request-input.js';
import { withReadyStart } from '../http/ready-start.js';
import { Input, Serves } from '../http/serves.js';
import type { Caller } from '../keys/authenticator.js';
import { CurrentCaller } from '../keys/current-caller.js';
import { getSealedResult } from './sealed-result-operation.js';

@Controller()
export class SealedResultsController {
  constructor(
    @Inject(JOB_SERVICE) private readonly jobs: Pick<JobService, 'getSealedResult'>,
    @Inject(OpenStreams) private readonly streams: OpenStreams,
  ) {}

  @Serves(getSealedResult)
  async get(@Input() { params }: InputOf<typeof getSealedResult>, @CurrentCaller() { accountId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    const pieces = bytesOf(this.jobs.getSealedResult({ accountId, jobId: params.job_id }, { signal: this.streams.signalFor(reply) }));
    void reply.headers({ 'content-type': 'application/jose', 'cache-control': 'private, no-store' }).send(Readable.from(await withReadyStart(pieces), { objectMode: false }));
  }
}

async function* bytesOf(messages: AsyncIterable<{ data: Uint8Array }>): AsyncGenerator<Uint8Array> {
  for await (const { data } of messages) yield data;
}
