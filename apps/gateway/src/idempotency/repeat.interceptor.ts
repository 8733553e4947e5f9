import { finished } from 'node:stream/promises';
import { Inject, Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { JobTombstones } from '@parlance/stage';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { lastValueFrom, of, type Observable } from 'rxjs';
import { repeatsOf, type Operation } from '../http/operation.js';
import { present } from '../http/schema.js';
import { readRawBody } from '../http/request-input.js';
import { canRead } from '../keys/authenticator.js';
import { callerOf, presentedKeyOf } from '../keys/key-guard.js';
import { RENEW_EVERY_MS } from '../uploads/upload-leases.js';
import { fingerprint } from './fingerprint.js';
import { HeldReply } from './held-reply.js';
import { idempotencyKeyOf } from './idempotency-key.js';
import type { KeptAnswer } from './idempotency-record.js';
import { Idempotency, isUncertain, type Claim } from './idempotency.js';
import { seal, unseal } from './sealed-answer.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Present on a request with an Idempotency-Key. */
    claim: Claim | null;
  }
}

/**
 * Lets each request with an Idempotency-Key be done once: its repetition gets the first answer again. A refused request leaves its
 * key unused; one whose outcome is unknown, because a process was killed or a service did not answer, is done again.
 */
@Injectable()
export class RepeatInterceptor implements NestInterceptor {
  constructor(
    @Inject(Idempotency) private readonly idempotency: Idempotency,
    @Inject(JobTombstones) private readonly tombstones: Pick<JobTombstones, 'isErased'>,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { operation } = request.routeOptions.config;
    const key = idempotencyKeyOf(request);
    if (!operation || key === undefined) return next.handle();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    const repeated = await this.idempotency.repeat(await repeatableRequest(operation, request, key));
    if (repeated.kind === 'replay') await replay(repeated, operation, request, reply);
    else await this.perform(repeated.claim, next, operation, request, reply);
    return of(undefined);
  }

  private async perform(claim: Claim, next: CallHandler, operation: Operation, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    request.claim = claim;
    const held = new HeldReply(reply);
    const renewal = setInterval(() => {
      // A stream that its client left before it began is never released.
      if (reply.raw.destroyed) clearInterval(renewal);
      else void this.idempotency.renew(claim).catch(() => undefined);
    }, RENEW_EVERY_MS);
    try {
      await lastValueFrom(next.handle(), { defaultValue: undefined });
    } catch (error) {
      held.restore();
      clearInterval(renewal);
      await (isUncertain(error) || claim.takenOver ? this.idempotency.suspend(claim) : this.idempotency.release(claim)).catch(() => undefined);
      throw error;
    }
    await held.release(async (answer) => {
      clearInterval(renewal);
      if (!answer) return this.idempotency.suspend(claim);
      const body = repeatsOf(operation).secret ? seal(answer.body, presentedKeyOf(request), claim.recordId) : answer.body;
      await this.idempotency.keep(claim, { ...answer, body }, (jobId) => this.tombstones.isErased(jobId));
    });
  }
}

/** The answer to a caller that may read is none for one that may not: theirs are different requests. */
async function repeatableRequest(operation: Operation, request: FastifyRequest, key: string) {
  const caller = callerOf(request);
  const { accountId } = caller;
  const [path = '', query = ''] = request.url.split('?', 2);
  const { job_id: jobId } = request.params as { job_id?: string };
  const erasedWith = jobId ?? (repeatsOf(operation).quotesJobs ? accountId : undefined);
  const print = fingerprint({ query, body: await bodyOf(operation, request), isRead: canRead(caller) });
  return { accountId, key, target: `${operation.method} ${path}`, fingerprint: print, ...(erasedWith !== undefined && { erasedWith }) };
}

/** A file is compared by what its head says of it, as is the file that a resumable upload announces: nothing of a repeated upload is stored. */
async function bodyOf(operation: Operation, request: FastifyRequest): Promise<unknown> {
  if (operation.body?.binary === undefined) return readRawBody(operation, request);
  const { 'content-length': length, 'content-digest': digest, 'repr-digest': representation, 'upload-length': uploadLength, 'upload-metadata': uploadMetadata } = request.headers;
  return present({ length, digest, representation, uploadLength, uploadMetadata });
}

async function replay({ answer, recordId }: { answer: KeptAnswer; recordId: string }, operation: Operation, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { status, headers } = answer;
  const body = repeatsOf(operation).secret ? unseal(answer.body, presentedKeyOf(request), recordId) : answer.body;
  // Many clients do not read a response that comes while they send.
  if (operation.body?.binary !== undefined) await finished(request.raw.resume());
  void reply
    .status(status)
    .headers({ ...headers, 'idempotency-replayed': 'true' })
    .send(body === '' ? undefined : body);
}
