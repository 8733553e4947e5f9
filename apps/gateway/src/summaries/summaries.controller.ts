import { Controller, Inject, Req, Res } from '@nestjs/common';
import type { ingest, summary } from '@parlance/contracts';
import { AppError, callUnary, toAppError, type CallContext, type IdGenerator } from '@parlance/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callContext } from '../http/call-context.js';
import { Serves } from '../http/operation.js';
import { readInput } from '../http/request-input.js';
import { callerOf } from '../keys/key-guard.js';
import { IDS, JOB_READER, SUMMARY_CLIENT } from '../tokens.js';
import { STAGE, STAGE_STATUS } from '../transcriptions/job-names.js';
import type { JobReader, JobRef } from '../transcriptions/job-reader.js';
import { highlightsJson, statusOfWork, summaryJson } from './summary-json.js';
import { createSummary, getHighlights, getOneSummary, getSummary, listSummaries } from './summary-operations.js';

@Controller()
export class SummariesController {
  constructor(
    @Inject(SUMMARY_CLIENT) private readonly client: summary.SummaryServiceClient,
    @Inject(JOB_READER) private readonly reader: JobReader,
    @Inject(IDS) private readonly ids: IdGenerator,
  ) {}

  @Serves(getSummary)
  async default(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { params } = await readInput(getSummary, request);
    const { job, ref, call } = await this.jobOf(request, params.job_id);
    const found = await orNone(callUnary(this.client, this.client.getSummary, { ...ref, summaryId: undefined }, call));
    void reply.send(summaryJson(completed(found?.summary, job, 'summary')));
  }

  @Serves(createSummary)
  async create(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { params, body } = await readInput(createSummary, request);
    const { ref, call } = await this.jobOf(request, params.job_id);
    const { format = '', template, instructions, language } = body;
    const order = { ...ref, summaryId: this.ids.next('sum'), format, template, instructions, language };
    const { summary: created } = await callUnary(this.client, this.client.createSummary, order, call);
    const summaryId = created?.summaryId ?? order.summaryId;
    const self = `/api/v1/transcriptions/${params.job_id}/summaries/${summaryId}`;
    void reply.status(202).header('location', self).send({ summary_id: summaryId, status: 'pending', links: { self } });
  }

  @Serves(listSummaries)
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { params, query } = await readInput(listSummaries, request);
    const { ref, call } = await this.jobOf(request, params.job_id);
    const page = await callUnary(this.client, this.client.listSummaries, { ...ref, limit: query.limit, cursor: query.cursor }, call);
    void reply.send({ data: page.summaries.map(summaryJson), next_cursor: page.nextCursor ?? null });
  }

  @Serves(getOneSummary)
  async one(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { params } = await readInput(getOneSummary, request);
    const { ref, call } = await this.jobOf(request, params.job_id);
    const { summary: found } = await callUnary(this.client, this.client.getSummary, { ...ref, summaryId: params.summary_id }, call);
    void reply.send(found && summaryJson(found));
  }

  @Serves(getHighlights)
  async highlights(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { params } = await readInput(getHighlights, request);
    const { job, ref, call } = await this.jobOf(request, params.job_id);
    const found = await orNone(callUnary(this.client, this.client.getHighlights, ref, call));
    void reply.send(highlightsJson(completed(found?.highlights, job, 'highlights')));
  }

  /** First, as its owner knows at once that a job is deleted; whoever has the summary hears it a moment later. */
  private async jobOf(request: FastifyRequest, jobId: string): Promise<{ job: ingest.Job; ref: JobRef; call: CallContext }> {
    const ref = { accountId: callerOf(request).accountId, jobId };
    const call = callContext(request);
    return { job: await this.reader.get(ref, call), ref, call };
  }
}

const orNone = <T>(answer: Promise<T>): Promise<T | undefined> =>
  answer.catch((error: unknown) => {
    if (toAppError(error).kind === 'not_found') return undefined;
    throw error;
  });

/** @throws AppError invalid_state that says why there is none, and whether one may come */
function completed<Work extends Pick<summary.Summary, 'status' | 'error'>>(work: Work | undefined, job: ingest.Job, stage: 'summary' | 'highlights'): Work {
  if (work && statusOfWork(work.status) === 'completed') return work;
  const state = job.stages.find((each) => each.stage === STAGE[stage]);
  const isOpen = state?.status === STAGE_STATUS.pending || state?.status === STAGE_STATUS.running;
  const what = stage === 'summary' ? 'The summary is' : 'The highlights are';
  const reason = state?.error?.message ?? work?.error?.message;
  const message = isOpen ? `${what} not ready yet.` : `The job ended without ${stage === 'summary' ? 'a summary' : 'highlights'}${reason === undefined ? '.' : `: ${reason}`}`;
  throw new AppError({ kind: 'conflict', code: 'invalid_state', message, retryable: isOpen });
}
