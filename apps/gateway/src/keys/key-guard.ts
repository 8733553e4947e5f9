import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { AppError } from '@parlance/platform';
import { CONFIG } from '@parlance/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { recordChange } from '../audit/audit-requests.js';
import { bearerOf } from '../compat/compat-credentials.js';
import { compatFormOf } from '../compat/compat-form.js';
import { thenSync } from '../http/then-sync.js';
import { scopesOf, type Access } from '../http/operation.js';
import { addressOf } from '../http/request-address.js';
import { RequestRates } from '../limits/request-rates.js';
import { Authenticator, presentedKey, type Caller } from './authenticator.js';
import { KeyUses } from './key-uses.js';
import { ProjectBoundary } from './project-boundary.js';
import type { Scope } from './scope.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the guard on every route that is not public. */
    caller: Caller | null;
    /** The caller of a key or token that is known and refused: it has expired, its account is disabled, or it is for another use. */
    refusedCaller: Caller | null;
  }
}

/** Lets a request in when its key is valid, has not asked too often and has the scope of the operation. The body is not read before. */
@Injectable()
export class KeyGuard implements CanActivate {
  constructor(
    @Inject(Authenticator) private readonly authenticator: Authenticator,
    @Inject(KeyUses) private readonly uses: KeyUses,
    @Inject(RequestRates) private readonly rates: Pick<RequestRates, 'admit'>,
    @Inject(ProjectBoundary) private readonly boundary: Pick<ProjectBoundary, 'require'>,
    @Inject(CONFIG) private readonly config: { ASR_ANONYMOUS_KEY?: string | undefined },
  ) {}

  /** Most callers are known: for them it takes no promise. */
  canActivate(context: ExecutionContext): true | Promise<true> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { operation, isPublic, compatAccess } = request.routeOptions.config;
    const access = operation?.access ?? compatAccess ?? (isPublic ? 'public' : 'any_key');
    if (access === 'public') return true;
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    const headers = { ...this.keyHeadersOf(request), token: operation?.acceptsTokenInQuery ? tokenInQuery(request) : undefined };
    const caller = this.authenticator.recall(headers) ?? this.authenticator.authenticate(headers, addressOf(request), (refused) => (request.refusedCaller = refused));
    return thenSync(caller, (known) => this.authorize(known, access, request, reply));
  }

  /** The headers with the caller's key, or with that of the operator for a client that cannot send one. */
  private keyHeadersOf(request: FastifyRequest) {
    const headers = keyHeadersOf(request);
    const { ASR_ANONYMOUS_KEY: anonymousKey } = this.config;
    // A page of any site can send a form from the browser of somebody in the network; browsers then send Origin.
    const isKeyless = request.routeOptions.config.compatKeyless && headers.authorization === undefined && headers.apiKey === undefined && request.headers.origin === undefined;
    return isKeyless && anonymousKey !== undefined ? { ...headers, apiKey: anonymousKey } : headers;
  }

  private authorize(caller: Caller, access: Access, request: FastifyRequest, reply: FastifyReply): true | Promise<true> {
    request.caller = caller;
    if (caller.isInternal) return true;
    this.uses.note(caller.keyId);
    return thenSync(this.rates.admit(caller, reply), () => {
      requireScopes(caller, scopesOf(access));
      if (caller.isToBeDeleted) requireOpenInDeletion(request);
      if (caller.token) requireOpenToToken(caller.token, request);
      return thenSync(caller.projectId === undefined ? undefined : this.boundary.require(caller, request), () => thenSync(recordChange(request), () => true as const));
    });
  }
}

/** RFC 6750, section 2.3. */
function tokenInQuery({ query }: FastifyRequest): string | undefined {
  const { access_token: token } = query as { access_token?: unknown };
  return typeof token === 'string' ? token : undefined;
}

/** A token reaches nothing but the resource that it is bound to, and no operation for keys alone. @throws AppError insufficient_scope */
function requireOpenToToken({ jobId, uploadId }: NonNullable<Caller['token']>, { params, routeOptions: { config } }: FastifyRequest): void {
  const { job_id: job, upload_id: upload } = params as { job_id?: string; upload_id?: string };
  if (config.operation?.isForKeysOnly) throw tokenRefused('This operation requires an API key; a token does not suffice.');
  if (jobId !== undefined && jobId !== job) throw tokenRefused(`The token gives access to the transcription ${jobId} alone.`);
  if (uploadId !== undefined && uploadId !== upload) throw tokenRefused(`The token gives access to the upload ${uploadId} alone.`);
}

const READS_AND_DELETIONS = new Set(['GET', 'HEAD', 'DELETE']);

/** The account is to be deleted: it can be read, exported and cleared. @throws AppError account_deletion_scheduled */
function requireOpenInDeletion({ method, routeOptions: { config } }: FastifyRequest): void {
  if (READS_AND_DELETIONS.has(method) || config.operation?.isOpenInDeletion) return;
  throw new AppError({ code: 'account_deletion_scheduled', message: 'The account is to be deleted, so that it takes no new work.' });
}

const tokenRefused = (message: string) => new AppError({ kind: 'forbidden', code: 'insufficient_scope', message });

/** @throws AppError insufficient_scope */
export function requireScopes({ scopes }: Caller, needed: readonly Scope[]): void {
  const missing = needed.filter((scope) => !scopes.has(scope));
  if (missing.length === 0) return;
  const hint = missing.includes('audit') ? ' Keys that are older than the audit log do not have it; the operator adds it: parlance-admin keys grant <key_id> --scopes audit.' : '';
  throw new AppError({ kind: 'forbidden', code: 'insufficient_scope', message: `The key lacks the scope ${missing.join(', ')}.${hint}` });
}

function keyHeadersOf({ url, headers: { authorization, 'x-api-key': apiKey }, routeOptions: { config } }: FastifyRequest) {
  const key = typeof apiKey === 'string' ? apiKey : undefined;
  return config.compatAccess === undefined ? { authorization, apiKey: key } : { authorization: bearerOf(authorization), apiKey: key, forms: compatFormOf(url)?.keyForms };
}

/** The API key itself, which the caller of a route that is not public has sent. */
export const presentedKeyOf = (request: FastifyRequest): string => presentedKey(keyHeadersOf(request));

/** The caller of a route that is not public. */
export function callerOf({ caller }: FastifyRequest): Caller {
  if (!caller) throw new Error('The guard did not run for this request.');
  return caller;
}
