import { Controller, Inject, Req, Res } from '@nestjs/common';
import { toAppError } from '@parlance/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Serves } from '../http/operation.js';
import { addressOf } from '../http/request-address.js';
import { readInput } from '../http/request-input.js';
import type { WrongKeys } from '../keys/wrong-keys.js';
import { SIGNUP, WRONG_KEYS } from '../tokens.js';
import type { SignedUp, Signup } from './signup.js';
import { signUp, verifySignup } from './signup-operations.js';

@Controller()
export class SignupController {
  constructor(
    @Inject(SIGNUP) private readonly signup: Signup,
    @Inject(WRONG_KEYS) private readonly wrongKeys: WrongKeys,
  ) {}

  @Serves(signUp)
  async begin(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { body } = await readInput(signUp, request);
    const outcome = await this.signup.begin(body, addressOf(request));
    if (outcome.kind === 'signed_up') return sendAccount(reply, outcome);
    const { id, expiresAt } = outcome.pending;
    void reply.status(202).header('cache-control', 'no-store').send({ signup_id: id, expires_at: expiresAt });
  }

  @Serves(verifySignup)
  async verify(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { body } = await readInput(verifySignup, request);
    const address = addressOf(request);
    this.wrongKeys.check(address);
    try {
      sendAccount(reply, await this.signup.verify(body.signup_id, body.code));
    } catch (error) {
      if (toAppError(error).code === 'code_invalid') this.wrongKeys.count(address);
      throw error;
    }
  }
}

function sendAccount(reply: FastifyReply, { accountId, apiKey, freeMinutes }: SignedUp): void {
  void reply.status(201).header('cache-control', 'no-store').send({ account_id: accountId, api_key: apiKey, free_minutes: freeMinutes });
}
