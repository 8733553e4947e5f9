import { Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { invalidFields } from '../http/field-errors.js';
import { readAddress, readInput, requirePlainBody } from '../http/request-input.js';
import { Serves } from '../http/serves.js';
import { idempotencyKeyOf } from '../idempotency/idempotency-key.js';
import { callerOf } from '../keys/key-guard.js';
import { Creation, creationRequest, type CreationAnswer } from './creation.js';
import { RequestRules } from './request-rules.js';
import { StoredUploadCreation } from './stored-upload-creation.js';
import { trackOptions } from './track-options.js';
import { createTranscription } from './transcription-operations.js';
import { UploadCreation } from './upload-creation.js';

/** Creates transcriptions from a form, a URL or stored uploads. */
@Controller()
export class CreationController {
  constructor(
    @Inject(Creation) private readonly creation: Creation,
    @Inject(UploadCreation) private readonly uploadCreation: UploadCreation,
    @Inject(StoredUploadCreation) private readonly storedUploadCreation: StoredUploadCreation,
    @Inject(RequestRules) private readonly rules: RequestRules,
  ) {}

  @Serves(createTranscription)
  async create(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const caller = callerOf(request);
    const creation = creationRequest(caller, request.id, idempotencyKeyOf(request));
    if (request.isMultipart()) {
      requirePlainBody(request);
      const { errors } = readAddress(createTranscription, request);
      if (errors.length > 0) throw invalidFields(errors);
      return sendAccepted(reply, await this.uploadCreation.byForm(creation, request));
    }
    const { body, rawBody } = await readInput(createTranscription, request, (raw) => this.rules.violations(raw));
    const { audio_url: audioUrl, audio_headers: audioHeaders, upload_id: uploadId, files, ...options } = body;
    if (files) return sendAccepted(reply, await this.storedUploadCreation.byIds(creation, files.map((file) => file.upload_id), trackOptions(files, options), rawBody));
    if (uploadId !== undefined) return sendAccepted(reply, await this.storedUploadCreation.byIds(creation, [uploadId], options, rawBody));
    return sendAccepted(reply, await this.creation.byUrl(creation, { source: { $case: 'audioUrl', value: audioUrl ?? '' }, options, audioHeaders }, rawBody));
  }
}

function sendAccepted(reply: FastifyReply, { accepted, replayed }: CreationAnswer): void {
  if (replayed) reply.header('idempotency-replayed', 'true');
  void reply.status(202).header('location', accepted.links.self).send(accepted);
}
