import { Controller, Inject, Res, UseGuards, UseInterceptors } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { nameResources } from '../audit/audit-requests.js';
import type { InputOf } from '../http/request-input.js';
import { Input, Serves } from '../http/serves.js';
import { SignupGuard, VerificationGuard, WrongCodeLimit } from './signup-guards.js';
import { signUp, verifySignup } from './signup-operations.js';
import { Signup, type SignedUp } from './signup.js';

@Controller()
export class SignupController {
  constructor(@Inject(Signup) private readonly signup: Signup) {}

  @Serves(signUp)
  @UseGuards(SignupGuard)
  async begin(@Input() { body }: InputOf<typeof signUp>, @Res() reply: FastifyReply): Promise<void> {
    const outcome = await this.signup.begin(body);
    if (outcome.kind === 'signed_up') return sendAccount(reply, outcome);
    const { id, expiresAt } = outcome.pending;
    void reply.status(202).header('cache-control', 'no-store').send({ signup_id: id, expires_at: expiresAt });
  }

  @Serves(verifySignup)
  @UseGuards(VerificationGuard)
  @UseInterceptors(WrongCodeLimit)
  async verify(@Input() { body }: InputOf<typeof verifySignup>, @Res() reply: FastifyReply): Promise<void> {
    sendAccount(reply, await this.signup.verify(body.signup_id, body.code));
  }
}

/** The account is known only now, so that the audit log has a sign-up once it is made, before its key is sent. */
function sendAccount(reply: FastifyReply, { accountId, keyId, apiKey, freeMinutes }: SignedUp): void {
  reply.request.signedUpAccount = accountId;
  nameResources(reply.request, [keyId]);
  void reply.status(201).header('cache-control', 'no-store').send({ account_id: accountId, api_key: apiKey, free_minutes: freeMinutes });
}
