import { Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { InputOf } from '../http/request-input.js';
import { present } from '../http/schema.js';
import { Input, Serves } from '../http/serves.js';
import { attemptOf } from '../idempotency/new-id.js';
import { AccessTokens, type AccessToken } from '../keys/access-tokens.js';
import { Authenticator, type Caller } from '../keys/authenticator.js';
import { CurrentCaller } from '../keys/current-caller.js';
import { requireScopes } from '../keys/key-guard.js';
import { requireInProject } from '../keys/project-boundary.js';
import { JobReader } from '../transcriptions/job-reader.js';
import { UploadRecords } from '../uploads/stored/upload-records.js';
import { createToken, deleteToken, listTokens } from './token-operations.js';

@Controller()
export class TokensController {
  constructor(
    @Inject(AccessTokens) private readonly tokens: AccessTokens,
    @Inject(Authenticator) private readonly authenticator: Pick<Authenticator, 'forget'>,
    @Inject(JobReader) private readonly jobs: Pick<JobReader, 'get'>,
    @Inject(UploadRecords) private readonly uploads: Pick<UploadRecords, 'get'>,
  ) {}

  @Serves(createToken)
  async create(@Input() { body }: InputOf<typeof createToken>, @CurrentCaller() caller: Caller, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { accountId, projectId } = caller;
    const { job_id: jobId, upload_id: uploadId } = body;
    const scopes = [...new Set(body.scopes)];
    requireScopes(caller, scopes);
    if (jobId !== undefined) await this.jobs.get({ accountId, projectId, jobId });
    if (uploadId !== undefined) requireInProject(caller, await this.uploads.get(accountId, uploadId), 'The upload');
    const { token, secret } = await this.tokens.issue(caller, { attempt: attemptOf('tok', request), scopes, expiresInSeconds: body.expires_in, jobId, uploadId });
    void reply.status(201).header('cache-control', 'no-store').send({ ...tokenJson(token), token: secret });
  }

  @Serves(listTokens)
  async list(@Input() { query }: InputOf<typeof listTokens>, @CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    const { items, nextCursor } = await this.tokens.list(ownerOf(caller), query);
    void reply.send({ data: items.map(({ document }) => tokenJson(document)), next_cursor: nextCursor });
  }

  @Serves(deleteToken)
  async delete(@Input() { params }: InputOf<typeof deleteToken>, @CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    await this.tokens.revoke(ownerOf(caller), params.token_id);
    this.authenticator.forget(params.token_id);
    void reply.status(204).send();
  }
}

/** A key manages its own tokens, and with the scope `keys` those of the account. */
const ownerOf = ({ accountId, keyId, scopes }: Caller) => ({ accountId, ...(!scopes.has('keys') && { keyId }) });

const tokenJson = ({ id, keyId, scopes, jobId, uploadId, createdAt, expiresAt }: AccessToken) =>
  present({ token_id: id, key_id: keyId, scopes, job_id: jobId, upload_id: uploadId, created_at: createdAt, expires_at: expiresAt });
