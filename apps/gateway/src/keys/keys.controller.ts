import { Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { InputOf } from '../http/request-input.js';
import { Input, Serves } from '../http/serves.js';
import { present } from '../http/schema.js';
import { repeatedIdOf } from '../idempotency/new-id.js';
import { KeyBudgets } from '../usage/key-budgets.js';
import { ApiKeys, type ApiKey, type IssuedKey } from './api-keys.js';
import { Authenticator, type Caller } from './authenticator.js';
import { CallerKeys } from './caller-keys.js';
import { CurrentCaller } from './current-caller.js';
import { KeyUses } from './key-uses.js';
import { createKey, deleteKey, getKey, listKeys, rotateKey, updateKey } from './key-operations.js';

@Controller()
export class KeysController {
  constructor(
    @Inject(ApiKeys) private readonly keys: ApiKeys,
    @Inject(CallerKeys) private readonly callerKeys: CallerKeys,
    @Inject(Authenticator) private readonly authenticator: Authenticator,
    @Inject(KeyUses) private readonly uses: KeyUses,
    @Inject(KeyBudgets) private readonly budgets: KeyBudgets,
  ) {}

  @Serves(listKeys)
  async list(@Input() { query }: InputOf<typeof listKeys>, @CurrentCaller() { accountId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    const { items, nextCursor } = await this.keys.list(accountId, query);
    const keys = items.map(({ document }) => document);
    const uses = await Promise.all(keys.map(({ id }) => this.uses.lastUse(id)));
    const used = await this.budgets.usedSeconds(keys);
    void reply.send({ data: keys.map((key, index) => present({ ...keyJson(key), last_used_at: toTheMinute(uses[index], key.createdAt), used_seconds: used[index] })), next_cursor: nextCursor });
  }

  @Serves(getKey)
  async get(@Input() { params }: InputOf<typeof getKey>, @CurrentCaller() { accountId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    const key = await this.keys.require(accountId, params.key_id);
    void reply.send(await this.json(key));
  }

  @Serves(updateKey)
  async update(@Input() { params, body }: InputOf<typeof updateKey>, @CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    const key = await this.callerKeys.setBudget(caller, params.key_id, body.monthly_seconds ?? undefined);
    this.budgets.forget(key.id);
    void reply.send(await this.json(key));
  }

  @Serves(createKey)
  async create(@Input() { body }: InputOf<typeof createKey>, @CurrentCaller() caller: Caller, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    sendIssued(reply, await this.callerKeys.create(caller, { id: repeatedIdOf('key', request), name: body.name, scopes: body.scopes, expiresAt: body.expires_at, projectId: body.project_id, monthlySeconds: body.monthly_seconds }));
  }

  @Serves(deleteKey)
  async delete(@Input() { params, query }: InputOf<typeof deleteKey>, @CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    await this.callerKeys.revoke(caller, params.key_id, query.allow_lockout);
    this.authenticator.forget(params.key_id);
    await this.uses.forget(params.key_id);
    void reply.status(204).send();
  }

  @Serves(rotateKey)
  async rotate(@Input() { params, body }: InputOf<typeof rotateKey>, @CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    const issued = await this.callerKeys.rotate(caller, params.key_id, body.overlap_seconds);
    this.authenticator.forget(params.key_id);
    sendIssued(reply, issued);
  }

  private async json(key: ApiKey) {
    const [usedSeconds] = await this.budgets.usedSeconds([key]);
    return present({ ...keyJson(key), last_used_at: await this.uses.lastUse(key.id), used_seconds: usedSeconds });
  }
}

function sendIssued(reply: FastifyReply, { key, apiKey }: IssuedKey): void {
  void reply
    .status(201)
    .headers({ location: `/api/v1/keys/${key.id}`, 'cache-control': 'no-store' })
    .send({ ...keyJson(key), api_key: apiKey });
}

const keyJson = ({ id, name, scopes, projectId, monthlySeconds, createdAt, expiresAt }: ApiKey) =>
  present({ key_id: id, name, scopes, project_id: projectId, monthly_seconds: monthlySeconds, created_at: createdAt, expires_at: expiresAt });

/** The minute of a use, so that the list is the same, and so is its ETag, while it is read again and again; not before the key was created. */
function toTheMinute(usedAt: string | undefined, createdAt: string): string | undefined {
  const minute = usedAt?.replace(/\d\d\.\d{3}Z$/, '00.000Z');
  return minute !== undefined && minute < createdAt ? createdAt : minute;
}
