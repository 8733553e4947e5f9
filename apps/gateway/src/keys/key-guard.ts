import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { AppError } from '@parlance/platform';
import type { FastifyRequest } from 'fastify';
import type { Authenticator, Caller } from './authenticator.js';
import type { Scope } from './scope.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the guard on every route that is not public. */
    caller: Caller | null;
  }
}

/** Lets a request in when its key is valid and has the scope of the operation. The body is not read before. */
export class KeyGuard implements CanActivate {
  constructor(private readonly authenticator: Authenticator) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { operation, isPublic } = request.routeOptions.config;
    const access = operation?.access ?? (isPublic ? 'public' : 'any_key');
    if (access === 'public') return true;
    const { authorization, 'x-api-key': apiKey } = request.headers;
    const caller = await this.authenticator.authenticate({ authorization, apiKey: typeof apiKey === 'string' ? apiKey : undefined });
    request.caller = caller;
    if (access !== 'any_key') requireScopes(caller, [access]);
    return true;
  }
}

/** @throws AppError insufficient_scope */
export function requireScopes({ scopes }: Caller, needed: readonly Scope[]): void {
  const missing = needed.filter((scope) => !scopes.has(scope));
  if (missing.length === 0) return;
  throw new AppError({ kind: 'forbidden', code: 'insufficient_scope', message: `The key lacks the scope ${missing.join(', ')}.` });
}

/** Of a route that is not public. */
export function callerOf({ caller }: FastifyRequest): Caller {
  if (!caller) throw new Error('The guard did not see this request.');
  return caller;
}
