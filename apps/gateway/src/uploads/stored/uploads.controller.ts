import { Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { invalidFields } from '../../http/field-errors.js';
import { readAddress, type InputOf } from '../../http/request-input.js';
import { Input, Serves } from '../../http/serves.js';
import { canRead, type Caller } from '../../keys/authenticator.js';
import { CurrentCaller } from '../../keys/current-caller.js';
import { callerOf } from '../../keys/key-guard.js';
import { DirectUploads } from './direct-uploads.js';
import { TUS_VERSION } from './tus-capabilities.js';
import { isTusRequest, TusUploads } from './tus-uploads.js';
import { UploadIntake } from './upload-intake.js';
import { uploadJson } from './upload-json.js';
import { appendToUpload, completeUpload, createDirectUpload, createUpload, deleteUpload, getUpload, listUploads } from './upload-operations.js';
import { UploadRecords } from './upload-records.js';

@Controller()
export class UploadsController {
  constructor(
    @Inject(UploadIntake) private readonly intake: UploadIntake,
    @Inject(DirectUploads) private readonly direct: DirectUploads,
    @Inject(TusUploads) private readonly tus: TusUploads,
    @Inject(UploadRecords) private readonly records: UploadRecords,
  ) {}

  @Serves(createUpload)
  async create(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { query, errors } = readAddress(createUpload, request);
    if (errors.length > 0) throw invalidFields(errors);
    if (isTusRequest(request)) {
      const { status, headers, upload } = await this.tus.create(callerOf(request), request);
      return void reply.status(status).headers(headers).send(uploadJson(upload));
    }
    const upload = await this.intake.receive(callerOf(request), request, query.file_name);
    void reply.status(201).header('location', `/api/v1/uploads/${upload.id}`).send(uploadJson(upload));
  }

  @Serves(createDirectUpload)
  async createDirect(@Input() { body }: InputOf<typeof createDirectUpload>, @CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    const { upload, parts } = await this.direct.create(caller, body.size_bytes, body.file_name);
    const json = { ...uploadJson(upload), parts: parts.map(({ number, url, sizeBytes }) => ({ part_number: number, url, size_bytes: sizeBytes })) };
    void reply.status(201).headers({ location: `/api/v1/uploads/${upload.id}`, 'cache-control': 'no-store' }).send(json);
  }

  @Serves(completeUpload)
  async complete(@Input() { params }: InputOf<typeof completeUpload>, @CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    const { fileName, ...upload } = await this.direct.complete(caller.accountId, params.upload_id);
    void reply.send(uploadJson(canRead(caller) ? { ...upload, fileName } : upload));
  }

  @Serves(listUploads)
  async list(@Input() { query }: InputOf<typeof listUploads>, @CurrentCaller() { accountId, projectId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    const { uploads, nextCursor } = await this.records.list(accountId, { status: query.status, projectId, limit: query.limit, cursor: query.cursor });
    void reply.send({ data: uploads.map(uploadJson), next_cursor: nextCursor });
  }

  @Serves(getUpload)
  async get(@Input() { params }: InputOf<typeof getUpload>, @CurrentCaller() caller: Caller, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    if (request.method === 'HEAD' && isTusRequest(request)) {
      const { headers } = await this.tus.continue(caller, request, params.upload_id, 'HEAD');
      return void reply.headers(headers).send();
    }
    const upload = await this.records.get(caller.accountId, params.upload_id);
    void reply.send(uploadJson(upload));
  }

  @Serves(appendToUpload)
  async append(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { params, errors } = readAddress(appendToUpload, request);
    if (errors.length > 0) throw invalidFields(errors);
    const { status, headers } = await this.tus.continue(callerOf(request), request, params.upload_id, 'PATCH');
    void reply.status(status).headers(headers).send();
  }

  @Serves(deleteUpload)
  async delete(@Input() { params }: InputOf<typeof deleteUpload>, @CurrentCaller() { accountId }: Caller, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.records.remove(accountId, params.upload_id);
    if (isTusRequest(request)) reply.header('tus-resumable', TUS_VERSION);
    void reply.status(204).send();
  }
}
