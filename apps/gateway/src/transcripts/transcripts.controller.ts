import { Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { InputOf } from '../http/request-input.js';
import { Input, Serves } from '../http/serves.js';
import { addVary } from '../http/vary.js';
import type { Caller } from '../keys/authenticator.js';
import { CurrentCaller } from '../keys/current-caller.js';
import { chooseFormat, exportFormat } from './transcript-format.js';
import { CHAPTERS_FILE, exportTranscript, getTranscript } from './transcript-operations.js';
import { TranscriptSender } from './transcript-sender.js';

@Controller()
export class TranscriptsController {
  constructor(@Inject(TranscriptSender) private readonly sender: TranscriptSender) {}

  @Serves(getTranscript)
  async get(@Input() { params, query }: InputOf<typeof getTranscript>, @CurrentCaller() { accountId }: Caller, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    addVary(reply, 'Accept');
    const format = chooseFormat(query.format, request.headers.accept);
    return this.sender.send({ accountId, jobId: params.job_id }, format, query, request, reply);
  }

  @Serves(exportTranscript)
  async export(@Input() { params, query }: InputOf<typeof exportTranscript>, @CurrentCaller() { accountId }: Caller, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    if (params.format === CHAPTERS_FILE) return this.sender.sendChapters({ accountId, jobId: params.job_id }, request, reply);
    return this.sender.send({ accountId, jobId: params.job_id }, exportFormat(params.format), query, request, reply);
  }
}
