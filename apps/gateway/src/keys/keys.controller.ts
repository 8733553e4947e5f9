import { Controller, Inject, Req, Res } from '@nestjs/common';
import type { Clock } from '@parlance/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { invalidFields } from '../http/field-errors.js';
import { Serves } from '../http/operation.js';
import { readInput } from '../http/request-input.js';
import { present } from '../http/schema.js';
import { API_KEYS, AUTHENTICATOR, CLOCK } from '../tokens.js';
import type { ApiKey, ApiKeys, IssuedKey } from './api-keys.js';
import type { Authenticator } from './authenticator.js';
import { callerOf, requireScopes } from './key-guard.js';
import { createKey, deleteKey, listKeys, rotateKey } from './key-operations.js';

@Controller()
export class KeysController {
  constructor(
    @Inject(API_KEYS) private readonly keys: ApiKeys,
    @Inject(AUTHENTICATOR) private readonly authenticator: Authenticator,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Serves(listKeys)
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { query } = await readInput(listKeys, request);
    const { items, nextCursor } = await this.keys.list(callerOf(request).accountId, query);
    void reply.send({ data: items.map(({ document }) => keyJson(document)), next_cursor: nextCursor });
  }

  @Serves(createKey)
  async create(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { body } = await readInput(createKey, request);
    const caller = callerOf(request);
    const scopes = body.scopes ? [...new Set(body.scopes)] : [...caller.scopes];
    requireScopes(caller, scopes);
    const expiresAt = body.expires_at === undefined ? undefined : this.future(body.expires_at);
    sendIssued(reply, await this.keys.issue({ accountId: caller.accountId, name: body.name, scopes, expiresAt }));
  }

  @Serves(deleteKey)
  async delete(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { params } = await readInput(deleteKey, request);
    await this.keys.revoke(callerOf(request).accountId, params.key_id);
    this.authenticator.forget(params.key_id);
    void reply.status(204).send();
  }

  @Serves(rotateKey)
  async rotate(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { params, body } = await readInput(rotateKey, request);
    const caller = callerOf(request);
    const old = await this.keys.require(caller.accountId, params.key_id);
    requireScopes(caller, old.scopes);
    const issued = await this.keys.rotate(caller.accountId, params.key_id, body.overlap_seconds);
    this.authenticator.forget(params.key_id);
    sendIssued(reply, issued);
  }

  private future(text: string): string {
    const time = new Date(text);
    if (time > this.clock.now()) return time.toISOString();
    throw invalidFields([{ pointer: '/expires_at', code: 'invalid_value', detail: 'This must be in the future.' }]);
  }
}

function sendIssued(reply: FastifyReply, { key, apiKey }: IssuedKey): void {
  void reply
    .status(201)
    .headers({ location: '/api/v1/keys', 'cache-control': 'no-store' })
    .send({ ...keyJson(key), api_key: apiKey });
}

const keyJson = ({ id, name, scopes, createdAt, expiresAt }: ApiKey) =>
  present({ key_id: id, name, scopes, created_at: createdAt, expires_at: expiresAt });
