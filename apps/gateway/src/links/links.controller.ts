import { Controller, Inject, Req, Res } from '@nestjs/common';
import type { ingest } from '@parlance/contracts';
import { AppError, notFound } from '@parlance/platform';
import { JobErasure } from '@parlance/stage';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { InputOf } from '../http/request-input.js';
import { present } from '../http/schema.js';
import { LINK_PATH } from '../http/secret-path.js';
import { Input, Serves } from '../http/serves.js';
import type { Caller } from '../keys/authenticator.js';
import { CurrentCaller } from '../keys/current-caller.js';
import { RecordingSender } from '../recordings/recording-sender.js';
import { hasTranscript, isTerminal, statusOf } from '../transcriptions/job-json.js';
import { JobReader } from '../transcriptions/job-reader.js';
import type { FileDelivery } from '../transcripts/file-delivery.js';
import { noTranscript } from '../transcripts/no-transcript.js';
import { chosenFormat, exportFormat } from '../transcripts/transcript-format.js';
import { CHAPTERS_FILE } from '../transcripts/transcript-operations.js';
import { TranscriptSender } from '../transcripts/transcript-sender.js';
import { LinkAccess } from './link-access.js';
import { createLink, deleteLink, listLinks, openLink } from './link-operations.js';
import type { ShareLink } from './share-link.js';
import { ShareLinks } from './share-links.js';

/**
 * A revoked link must open nothing from a cache, and sites that a document leads to must not receive the link. A browser that shows a
 * content runs nothing of it: only its player may read the recording again, for which Chromium needs `allow-same-origin`. Pages of other
 * sites may embed it, as all who have the link may open it.
 */
const LINK_HEADERS = {
  'cache-control': 'private, no-store',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "sandbox allow-same-origin; default-src 'none'; media-src 'self'",
  'cross-origin-resource-policy': 'cross-origin',
};
const SHOWN: FileDelivery = { disposition: 'inline', headers: LINK_HEADERS };
const SAVED: FileDelivery = { disposition: 'attachment', headers: LINK_HEADERS };

/** Links to contents of jobs, and what they open. */
@Controller()
export class LinksController {
  constructor(
    @Inject(ShareLinks) private readonly links: ShareLinks,
    @Inject(LinkAccess) private readonly access: LinkAccess,
    @Inject(JobReader) private readonly jobs: JobReader,
    @Inject(RecordingSender) private readonly recordings: RecordingSender,
    @Inject(TranscriptSender) private readonly transcripts: TranscriptSender,
    @Inject(JobErasure) private readonly erasure: Pick<JobErasure, 'removeIfErased'>,
  ) {}

  @Serves(createLink)
  async create(@Input() { params, body }: InputOf<typeof createLink>, @CurrentCaller() caller: Caller, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const ref = { accountId: caller.accountId, jobId: params.job_id };
    await this.requireContent(await this.jobs.get(ref), body);
    const format = body.what === 'transcript' ? (body.format ?? 'json') : body.format;
    const { link, secret } = await this.links.issue(caller, { jobId: ref.jobId, what: body.what, ...(format !== undefined && { format }), expiresInSeconds: body.expires_in });
    if (await this.erasure.removeIfErased(ref)) throw notFound('The transcription');
    void reply.status(201).header('cache-control', 'no-store').send({ ...linkJson(link), url: urlOf(secret, request) });
  }

  @Serves(listLinks)
  async list(@Input() { params, query }: InputOf<typeof listLinks>, @CurrentCaller() { accountId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    await this.jobs.get({ accountId, jobId: params.job_id });
    const { links, nextCursor } = await this.links.list(params.job_id, query);
    void reply.send({ data: links.map(linkJson), next_cursor: nextCursor });
  }

  @Serves(deleteLink)
  async delete(@Input() { params }: InputOf<typeof deleteLink>, @CurrentCaller() { accountId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    await this.links.revoke({ accountId, jobId: params.job_id }, params.link_id);
    void reply.status(204).send();
  }

  @Serves(openLink)
  async open(@Input() { params }: InputOf<typeof openLink>, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    void reply.header('referrer-policy', LINK_HEADERS['referrer-policy']);
    await this.send(await this.access.admit(params.secret, request), request, reply);
  }

  /** A content that is still being made passes. @throws AppError media_gone, invalid_state for a content that the job will not have */
  private async requireContent(job: ingest.Job, { what, format }: Pick<ShareLink, 'what'> & { format?: string | undefined }): Promise<void> {
    if (what === 'media') return isTerminal(statusOf(job)) ? void (await this.recordings.served(job)) : undefined;
    if (isTerminal(statusOf(job)) && !hasTranscript(job)) throw noTranscript(false);
    if (format === CHAPTERS_FILE && !(job.options?.chapters ?? false)) throw new AppError({ kind: 'conflict', code: 'invalid_state', reason: 'not_requested', message: 'The job was created without chapters.' });
  }

  private async send({ accountId, jobId, what, format = 'json' }: ShareLink, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const ref = { accountId, jobId };
    if (what === 'media') return this.recordings.send(await this.jobs.get(ref), ref, request, reply, SHOWN);
    if (format === CHAPTERS_FILE) return this.transcripts.sendChapters(ref, request, reply, SAVED);
    if (what === 'export') return this.transcripts.send(ref, exportFormat(format), {}, request, reply, SAVED);
    return this.transcripts.send(ref, chosenFormat(format), {}, request, reply, SHOWN);
  }
}

/** Absolute by PUBLIC_URL, or else by the Host of the request. */
function urlOf(secret: string, { server: { publicUrl }, protocol, host }: FastifyRequest): string {
  const base = publicUrl ?? (host ? `${protocol}://${host}` : '');
  return `${base}${LINK_PATH}/${secret}`;
}

const linkJson = ({ id, jobId, keyId, what, format, createdAt, expiresAt }: ShareLink) => present({ link_id: id, job_id: jobId, key_id: keyId, what, format, created_at: createdAt, expires_at: expiresAt });
