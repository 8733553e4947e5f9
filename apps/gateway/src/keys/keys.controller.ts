import { Controller, Inject, Req, Res } from '@nestjs/common';
import { AppError, type Clock } from '@parlance/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { invalidFields } from '../http/field-errors.js';
import { Serves } from '../http/operation.js';
import { readInput } from '../http/request-input.js';
import { present } from '../http/schema.js';
import { API_KEYS, AUTHENTICATOR, CLOCK, KEY_USES } from '../tokens.js';
import { successorEnd, type ApiKey, type ApiKeys, type IssuedKey } from './api-keys.js';
import type { Authenticator, Caller } from './authenticator.js';
import { callerOf, requireScopes } from './key-guard.js';
import type { KeyUses } from './key-uses.js';
import { createKey, deleteKey, listKeys, rotateKey } from './key-operations.js';

@Controller()
export class KeysController {
  constructor(
    @Inject(API_KEYS) private readonly keys: ApiKeys,
    @Inject(AUTHENTICATOR) private readonly authenticator: Authenticator,
    @Inject(KEY_USES) private readonly uses: KeyUses,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Serves(listKeys)
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { query } = await readInput(listKeys, request);
    const { items, nextCursor } = await this.keys.list(callerOf(request).accountId, query);
    const uses = await Promise.all(items.map(({ document }) => this.uses.lastUse(document.id)));
    void reply.send({ data: items.map(({ document }, index) => present({ ...keyJson(document), last_used_at: uses[index] })), next_cursor: nextCursor });
  }

  @Serves(createKey)
  async create(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { body } = await readInput(createKey, request);
    const caller = callerOf(request);
    const scopes = body.scopes ? [...new Set(body.scopes)] : [...caller.scopes];
    requireScopes(caller, scopes);
    await this.keys.requireRoom(caller.accountId);
    const expiresAt = body.expires_at === undefined ? caller.expiresAt : this.end(body.expires_at, caller);
    sendIssued(reply, await this.keys.issue({ accountId: caller.accountId, name: body.name, scopes, expiresAt }));
  }

  @Serves(deleteKey)
  async delete(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { params, query } = await readInput(deleteKey, request);
    await this.keys.revoke(callerOf(request).accountId, params.key_id, query.allow_lockout);
    this.authenticator.forget(params.key_id);
    await this.uses.forget(params.key_id);
    void reply.status(204).send();
  }

  @Serves(rotateKey)
  async rotate(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { params, body } = await readInput(rotateKey, request);
    const caller = callerOf(request);
    const old = await this.keys.require(caller.accountId, params.key_id);
    requireScopes(caller, old.scopes);
    // A key itself may be rotated again, by who did not get the answer.
    if (old.id !== caller.keyId && outlives(successorEnd(old), caller)) throw outlived();
    await this.keys.requireRoom(caller.accountId);
    const issued = await this.keys.rotate(caller.accountId, params.key_id, body.overlap_seconds);
    this.authenticator.forget(params.key_id);
    sendIssued(reply, issued);
  }

  /** Who has a key for a while must not keep the account by it: a copied key is of no use after its end. */
  private end(text: string, caller: Caller): string {
    const time = new Date(text);
    if (time <= this.clock.now()) throw invalidEnd('This must be in the future.');
    if (outlives(time.toISOString(), caller)) throw invalidEnd(`This must not be after the calling key's own end, ${caller.expiresAt}.`);
    return time.toISOString();
  }
}

const outlives = (expiresAt: string | undefined, caller: Caller): boolean => caller.expiresAt !== undefined && (expiresAt === undefined || expiresAt > caller.expiresAt);

const invalidEnd = (detail: string) => invalidFields([{ pointer: '/expires_at', code: 'invalid_value', detail }]);
const outlived = () => new AppError({ kind: 'conflict', code: 'invalid_state', message: 'The key would be replaced by one that lasts longer than the calling key. Rotate it with one that does not end before it.', retryable: false });

function sendIssued(reply: FastifyReply, { key, apiKey }: IssuedKey): void {
  void reply
    .status(201)
    .headers({ location: '/api/v1/keys', 'cache-control': 'no-store' })
    .send({ ...keyJson(key), api_key: apiKey });
}

const keyJson = ({ id, name, scopes, createdAt, expiresAt }: ApiKey) =>
  present({ key_id: id, name, scopes, created_at: createdAt, expires_at: expiresAt });
