import { Inject, Injectable } from '@nestjs/common';
import { AppError, type Clock } from '@parlance/platform';
import { CLOCK } from '@parlance/runtime';
import { invalidFields } from '../http/field-errors.js';
import type { Attempt } from '../idempotency/new-id.js';
import { Projects } from '../projects/projects.js';
import { AccessTokens } from './access-tokens.js';
import { successorEnd, type ApiKey } from './api-key.js';
import { ApiKeys, type IssuedKey } from './api-keys.js';
import type { Caller } from './authenticator.js';
import { requireScopes } from './key-guard.js';
import { refusedScopes, type Scope } from './scope.js';

interface KeyRequest {
  /** Given for a call under an Idempotency-Key. */
  attempt?: Attempt | undefined;
  name: string;
  /** Default: those of the caller. */
  scopes?: readonly Scope[] | undefined;
  /** RFC 3339; default: the caller's end. */
  expiresAt?: string | undefined;
  /** The project that it is bound to. */
  projectId?: string | undefined;
  /** Its budget. */
  monthlySeconds?: number | undefined;
}

/** The key operations of a caller, which creates, rotates and revokes only keys whose scopes it has itself. */
@Injectable()
export class CallerKeys {
  constructor(
    @Inject(ApiKeys) private readonly keys: ApiKeys,
    @Inject(Projects) private readonly projects: Pick<Projects, 'isOpen'>,
    @Inject(AccessTokens) private readonly tokens: Pick<AccessTokens, 'removeOfKey'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws AppError insufficient_scope, invalid_state, invalid_request */
  async create(caller: Caller, { attempt, name, scopes: asked, expiresAt: end, projectId, monthlySeconds }: KeyRequest): Promise<IssuedKey> {
    const { accountId } = caller;
    const refused = refusedScopes({ projectId, monthlySeconds });
    const scopes = asked ? [...new Set(asked)] : [...caller.scopes].filter((scope) => !refused.includes(scope));
    requireScopes(caller, scopes);
    if (scopes.some((scope) => refused.includes(scope))) throw invalidScope(refused);
    const expiresAt = end === undefined ? caller.expiresAt : this.end(end, caller);
    const requireProject = async () => {
      if (projectId !== undefined && !(await this.projects.isOpen(accountId, projectId))) throw unknownProject();
    };
    await requireProject();
    return this.keys.issueFor(caller, { attempt, accountId, name, scopes, expiresAt, projectId, monthlySeconds }, requireProject);
  }

  /** @param monthlySeconds undefined: no budget. @throws AppError not_found, insufficient_scope, validation_failed */
  async setBudget(caller: Caller, id: string, monthlySeconds: number | undefined): Promise<ApiKey> {
    const { scopes } = await this.requireHeld(caller, id);
    if (monthlySeconds !== undefined && scopes.includes('keys')) throw invalidFields([{ pointer: '/monthly_seconds', code: 'invalid_value', detail: 'A key with the scope keys has no budget, because it could create a key without one.' }]);
    return this.keys.setBudget(caller.accountId, id, monthlySeconds);
  }

  /** @throws AppError not_found, insufficient_scope, last_key, invalid_state */
  async revoke(caller: Caller, id: string, allowLockout = false): Promise<void> {
    const key = await this.requireHeld(caller, id);
    // A key that ends may give up what it holds itself, not the access that lasts longer.
    const givesUpItsOwn = !outlives(key.expiresAt, caller);
    await this.keys.revoke(caller.accountId, id, { allowLockout: allowLockout && givesUpItsOwn, callerEnd: caller.expiresAt });
    await this.tokens.removeOfKey(caller.accountId, id);
  }

  /** @throws AppError not_found, insufficient_scope, invalid_state */
  async rotate(caller: Caller, id: string, overlapSeconds: number): Promise<IssuedKey> {
    const old = await this.requireHeld(caller, id);
    // A key may rotate itself again when its holder did not get the answer.
    if (old.id !== caller.keyId && outlives(successorEnd(old), caller)) throw outlived();
    return this.keys.rotate(caller.accountId, id, overlapSeconds);
  }

  private async requireHeld(caller: Caller, id: string): Promise<ApiKey> {
    const key = await this.keys.require(caller.accountId, id);
    requireScopes(caller, key.scopes);
    return key;
  }

  /** A key that ends makes none that outlasts it: a copied key is of no use after its end. */
  private end(text: string, caller: Caller): string {
    const time = new Date(text);
    if (time <= this.clock.now()) throw invalidEnd('This must be in the future.');
    if (outlives(time.toISOString(), caller)) throw invalidEnd(`This must not be after the expiry of the calling key, ${caller.expiresAt}.`);
    return time.toISOString();
  }
}

const outlives = (expiresAt: string | undefined, caller: Caller): boolean => caller.expiresAt !== undefined && (expiresAt === undefined || expiresAt > caller.expiresAt);

const invalidScope = (refused: readonly Scope[]) => invalidFields([{ pointer: '/scopes', code: 'invalid_value', detail: `A key with a project or a budget cannot have the scope ${refused.join(' or ')}.` }]);
const unknownProject = () => invalidFields([{ pointer: '/project_id', code: 'invalid_value', detail: 'There is no such project.' }]);
const invalidEnd = (detail: string) => invalidFields([{ pointer: '/expires_at', code: 'invalid_value', detail }]);
const outlived = () => new AppError({ kind: 'conflict', code: 'invalid_state', reason: 'key_outlives_caller', message: 'The new key would outlast the calling key. Rotate this key with a key that does not expire before it.', retryable: false });
