import { Controller, Inject, Module, Req, Res } from '@nestjs/common';
import type { transcription, TranscriptService } from '@parlance/contracts';
import { AppError, notFound } from '@parlance/platform';
import { TRANSCRIPT_SERVICE } from '@parlance/runtime';
import { segmentJson } from '@parlance/transcript';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ifMatchOf, versionTag } from '../http/entity-tags.js';
import type { InputOf } from '../http/request-input.js';
import { Input, Serves } from '../http/serves.js';
import type { Caller } from '../keys/authenticator.js';
import { CurrentCaller } from '../keys/current-caller.js';
import { hasTranscript, isOver, isTerminal, statusOf } from '../transcriptions/job-json.js';
import { JobReader, type JobRef } from '../transcriptions/job-reader.js';
import { JobsModule } from '../transcriptions/jobs.module.js';
import { noTranscript } from '../transcripts/no-transcript.js';
import { operationMessage, replacedJson, revisionJson } from './editing-json.js';
import { editSegment, editSegments, getRevision, getSegment, listRevisions, replaceText, restoreRevision } from './editing-operations.js';
import { revisionPage } from './revision-page.js';

@Controller()
class EditingController {
  constructor(
    @Inject(TRANSCRIPT_SERVICE) private readonly transcripts: TranscriptService,
    @Inject(JobReader) private readonly reader: JobReader,
  ) {}

  @Serves(getSegment)
  async segment(@Input() { params }: InputOf<typeof getSegment>, @CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    const ref = await this.transcriptOf(caller, params.job_id);
    const { segment, revision } = await this.transcripts.getSegment({ ...ref, segmentId: params.segment_id });
    send(reply, revision, segment && segmentJson(segment));
  }

  @Serves(editSegment)
  async edit(@Input() { params, body }: InputOf<typeof editSegment>, @CurrentCaller() caller: Caller, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const origin = await this.originOf(caller, params.job_id, request);
    const { segment_id: segmentId } = params;
    const operations = [operationMessage({ op: 'edit', segment_id: segmentId, ...body })];
    const { revision, segments } = await this.transcripts.editTranscript({ ...origin, operations }).catch(ofOneSegment);
    const [edited] = segments;
    const segment = edited ?? (await this.transcripts.getSegment({ accountId: origin.accountId, jobId: origin.jobId, segmentId })).segment;
    send(reply, revision, segment && segmentJson(segment));
  }

  @Serves(editSegments)
  async editAll(@Input() { params, body }: InputOf<typeof editSegments>, @CurrentCaller() caller: Caller, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const origin = await this.originOf(caller, params.job_id, request);
    const { revision, changedSegments, segments } = await this.transcripts.editTranscript({ ...origin, operations: body.operations.map(operationMessage) });
    send(reply, revision, { revision, changed_segments: changedSegments, segments: segments.map((segment) => segmentJson(segment)) });
  }

  @Serves(replaceText)
  async replace(@Input() { params, body }: InputOf<typeof replaceText>, @CurrentCaller() caller: Caller, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { find, replace, match_case: matchCase, whole_words: wholeWords, dry_run: dryRun } = body;
    const origin = await this.originOf(caller, params.job_id, request);
    const replaced = await this.transcripts.replaceText({ ...origin, find, replace, matchCase, wholeWords, dryRun });
    send(reply, replaced.revision, replacedJson(replaced, dryRun));
  }

  @Serves(listRevisions)
  async revisions(@Input() { params, query }: InputOf<typeof listRevisions>, @CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    const { revisions } = await this.transcripts.listRevisions(await this.transcriptOf(caller, params.job_id));
    const { page, nextCursor } = revisionPage(params.job_id, revisions, query);
    send(reply, revisions[0]?.revision ?? 0, { data: page.map((revision) => revisionJson(revision)), next_cursor: nextCursor });
  }

  @Serves(getRevision)
  async revision(@Input() { params }: InputOf<typeof getRevision>, @CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    const ref = await this.transcriptOf(caller, params.job_id);
    const { revision, changes } = await this.transcripts.getRevision({ ...ref, revision: params.revision });
    void reply.send(revision && revisionJson(revision, changes));
  }

  @Serves(restoreRevision)
  async restore(@Input() { params }: InputOf<typeof restoreRevision>, @CurrentCaller() caller: Caller, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const origin = await this.originOf(caller, params.job_id, request);
    const { revision, changedSegments } = await this.transcripts.restoreRevision({ ...origin, revision: params.revision });
    send(reply, revision, { revision, changed_segments: changedSegments });
  }

  private async originOf(caller: Caller, jobId: string, request: FastifyRequest): Promise<JobRef & Pick<transcription.EditTranscriptRequest, 'keyId' | 'ifMatch'>> {
    return { ...(await this.transcriptOf(caller, jobId, true)), keyId: caller.keyId, ifMatch: ifMatchOf(request) };
  }

  /** The job's owner is asked first, as it knows at once that a job is deleted. @throws AppError not_found, invalid_state */
  private async transcriptOf({ accountId }: Caller, jobId: string, isEdited = false): Promise<JobRef> {
    const ref = { accountId, jobId };
    const job = await this.reader.get(ref);
    if (!hasTranscript(job)) throw noTranscript(!isTerminal(statusOf(job)));
    if (isEdited && !isOver(job)) throw stillRunning();
    return ref;
  }
}

@Module({ imports: [JobsModule], controllers: [EditingController] })
export class EditingModule {}

/** The ETag of what belongs to a transcript's text is its revision. */
function send(reply: FastifyReply, revision: number, answer: object | undefined): void {
  void reply.headers({ etag: versionTag(revision), 'cache-control': 'private, no-cache' }).status(200).send(answer);
}

const stillRunning = () =>
  new AppError({ code: 'invalid_state', reason: 'still_running', message: 'The transcript can be edited once the job and all of its stages have ended.', retryable: true });

const OPERATION = '/operations/0';

/** The error of an edit, as that of a request that names its one segment in the path. */
function ofOneSegment(error: unknown): never {
  if (!(error instanceof AppError)) throw error;
  const { kind, code, message, fields } = error;
  if (fields.some(({ pointer }) => pointer === `${OPERATION}/segment_id`)) throw notFound('The segment');
  if (fields.length === 0) throw error;
  const own = fields.map((field) => ({ ...field, pointer: field.pointer.replace(OPERATION, '') }));
  throw new AppError({ kind, code, message: message.replace(OPERATION, ''), fields: own });
}
