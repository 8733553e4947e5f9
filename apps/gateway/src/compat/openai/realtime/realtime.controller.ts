import { Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readJsonBody } from '../../../http/json-body.js';
import { callerOf } from '../../../keys/key-guard.js';
import { CompatRoute } from '../../compat-route.js';
import { under } from '../openai-paths.js';
import { RealtimeSecrets } from './realtime-secrets.js';

const MAX_BODY_BYTES = 64 * 1024;
const MAX_VALUES = 1000;

/** The ephemeral keys of OpenAI's realtime protocol (openapi.yaml, `create-realtime-client-secret`). */
@Controller()
export class RealtimeController {
  constructor(@Inject(RealtimeSecrets) private readonly secrets: RealtimeSecrets) {}

  @CompatRoute('POST', under('/realtime/client_secrets'), 'transcriptions:write')
  async createSecret(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    send(reply, await this.secrets.create(callerOf(request), await bodyOf(request)));
  }

  @CompatRoute('POST', under('/realtime/transcription_sessions'), 'transcriptions:write')
  async createSession(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    send(reply, await this.secrets.createSession(callerOf(request), await bodyOf(request)));
  }
}

const bodyOf = (request: FastifyRequest) => readJsonBody(request.raw, { maxBytes: MAX_BODY_BYTES, maxValues: MAX_VALUES, timeoutMs: request.server.jsonBodyMs });

const send = (reply: FastifyReply, body: object) => void reply.status(200).header('cache-control', 'no-store').send(body);
