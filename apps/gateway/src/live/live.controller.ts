import { Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readInput, type InputOf } from '../http/request-input.js';
import { Input, Serves } from '../http/serves.js';
import { idempotencyKeyOf } from '../idempotency/idempotency-key.js';
import type { Caller } from '../keys/authenticator.js';
import { CurrentCaller } from '../keys/current-caller.js';
import { callerOf } from '../keys/key-guard.js';
import { RequestRules } from '../transcriptions/request-rules.js';
import { LiveEndings } from './ending/live-endings.js';
import { creationRequest } from '../transcriptions/creation.js';
import { LiveCreation } from './live-creation.js';
import { liveJson, socketUrl, streamUrl } from './live-json.js';
import { createLive, createLiveToken, endLive, getLive } from './live-operations.js';
import { LiveReadTokens } from './followers/live-read-tokens.js';
import { LiveEvents } from './session/live-events.js';
import { LiveSessions } from './session/live-sessions.js';

/** Live sessions over HTTP; their audio goes through their sockets. */
@Controller()
export class LiveController {
  constructor(
    @Inject(LiveCreation) private readonly creation: LiveCreation,
    @Inject(LiveSessions) private readonly sessions: LiveSessions,
    @Inject(LiveEvents) private readonly events: LiveEvents,
    @Inject(LiveEndings) private readonly endings: LiveEndings,
    @Inject(LiveReadTokens) private readonly readTokens: LiveReadTokens,
    @Inject(RequestRules) private readonly rules: RequestRules,
  ) {}

  @Serves(createLive)
  async create(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const caller = callerOf(request);
    const { accountId } = caller;
    const { body, rawBody } = await readInput(createLive, request, (raw) => this.rules.violations(raw));
    const origin = creationRequest(caller, request.id, idempotencyKeyOf(request));
    const { id, replayed } = await this.creation.create(origin, body, rawBody);
    const { token, expiresAt } = await this.sessions.issueToken(caller, id);
    if (replayed) reply.header('idempotency-replayed', 'true');
    void reply
      .status(201)
      .headers({ location: `/api/v1/live/${id}`, 'cache-control': 'no-store' })
      .send({ ...(await this.shown(accountId, id, request)), token, token_expires_at: expiresAt });
  }

  @Serves(getLive)
  async get(@Input() { params }: InputOf<typeof getLive>, @CurrentCaller() { accountId }: Caller, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    void reply.send(await this.shown(accountId, params.job_id, request));
  }

  @Serves(createLiveToken)
  async createToken(@Input() { params, body }: InputOf<typeof createLiveToken>, @CurrentCaller() caller: Caller, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { access } = body;
    const id = params.job_id;
    const { token, expiresAt } = access === 'read' ? await this.readTokens.issue(caller, id, request) : await this.sessions.issueToken(caller, id);
    const url = access === 'read' ? streamUrl(id, request) : socketUrl(id, request);
    void reply.status(201).header('cache-control', 'no-store').send({ access, token, token_expires_at: expiresAt, url });
  }

  @Serves(endLive)
  async end(@Input() { params }: InputOf<typeof endLive>, @CurrentCaller() { accountId }: Caller, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const session = await this.sessions.get(accountId, params.job_id);
    if (session.status === 'open') await this.endings.begin(session.id, 'request');
    void reply.status(202).send(await this.shown(accountId, session.id, request));
  }

  private async shown(accountId: string, id: string, request: FastifyRequest) {
    const session = await this.sessions.get(accountId, id);
    const last = await this.events.last(id);
    return liveJson(session, last?.seq ?? 0, socketUrl(id, request));
  }
}
