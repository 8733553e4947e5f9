import { Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { InputOf } from '../http/request-input.js';
import { Input, Serves } from '../http/serves.js';
import { present } from '../http/schema.js';
import { attemptOf } from '../idempotency/new-id.js';
import { KeyBudgets, type KeyUsage } from '../usage/key-budgets.js';
import type { ApiKey } from './api-key.js';
import { ApiKeys, type IssuedKey } from './api-keys.js';
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
    const budgets = await this.budgets.of(keys);
    void reply.send({ data: keys.map((key, index) => present({ ...keyJson(key), last_used_at: toTheMinute(uses[index], key.createdAt), ...budgetJson(budgets[index]) })), next_cursor: nextCursor });
  }

  @Serves(getKey)
  async get(@Input() { params }: InputOf<typeof getKey>, @CurrentCaller() { accountId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    const key = await this.keys.require(accountId, params.key_id);
    void reply.send(await this.json(key));
  }

  @Serves(updateKey)
  async update(@Input() { params, body }: InputOf<typeof updateKey>, @CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    const key = await this.callerKeys.setBudget(caller, params.key_id, body.monthly_seconds ?? undefined);
    this.budgets.forget();
    void reply.send(await this.json(key));
  }

  @Serves(createKey)
  async create(@Input() { body }: InputOf<typeof createKey>, @CurrentCaller() caller: Caller, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.sendIssued(reply, await this.callerKeys.create(caller, { attempt: attemptOf('key', request), name: body.name, scopes: body.scopes, expiresAt: body.expires_at, projectId: body.project_id, monthlySeconds: body.monthly_seconds }));
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
    await this.sendIssued(reply, issued);
  }

  private async sendIssued(reply: FastifyReply, { key, apiKey }: IssuedKey): Promise<void> {
    const [budget] = await this.budgets.of([key]);
    void reply
      .status(201)
      .headers({ location: `/api/v1/keys/${key.id}`, 'cache-control': 'no-store' })
      .send(present({ ...keyJson(key), monthly_seconds: budget?.monthlySeconds, api_key: apiKey }));
  }

  private async json(key: ApiKey) {
    const [budget] = await this.budgets.of([key]);
    return present({ ...keyJson(key), last_used_at: await this.uses.lastUse(key.id), ...budgetJson(budget) });
  }
}

const keyJson = ({ id, name, scopes, projectId, createdAt, expiresAt }: ApiKey) => present({ key_id: id, name, scopes, project_id: projectId, created_at: createdAt, expires_at: expiresAt });

const budgetJson = (budget: KeyUsage | undefined) => ({ monthly_seconds: budget?.monthlySeconds, used_seconds: budget?.usedSeconds });

/** The minute of a use, so that the list is the same, and so is its ETag, while it is read again and again; not before the key was created. */
function toTheMinute(usedAt: string | undefined, createdAt: string): string | undefined {
  const minute = usedAt?.replace(/\d\d\.\d{3}Z$/, '00.000Z');
  return minute !== undefined && minute < createdAt ? createdAt : minute;
}
