import { Controller, Inject, Module, Req, Res } from '@nestjs/common';
import { chaptersJson, entitiesJson, highlightsJson, type ingest, type summary, type SummaryService } from '@parlance/contracts';
import { notFound, type IdGenerator } from '@parlance/platform';
import { ID_GENERATOR, SUMMARY_SERVICE } from '@parlance/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HoldCheck, HoldCheckModule } from '../holds/hold-check.js';
import { matchesTag, tagOfBytes } from '../http/entity-tags.js';
import { HttpModule } from '../http/http.module.js';
import { OpenStreams } from '../http/open-streams.js';
import type { InputOf } from '../http/request-input.js';
import { Input, Serves } from '../http/serves.js';
import type { Caller } from '../keys/authenticator.js';
import { newIdOf } from '../idempotency/new-id.js';
import { CurrentCaller } from '../keys/current-caller.js';
import { JobReader, type JobRef } from '../transcriptions/job-reader.js';
import type { SummaryJson } from './summary-schema.js';
import { completed, orNone } from './completed-work.js';
import { summaryJson } from './summary-json.js';
import { createSummary, deleteSummary, getChapters, getEntities, getHighlights, getOneSummary, getSummary, listSummaries } from './summary-operations.js';
import { JobsModule } from '../transcriptions/jobs.module.js';

@Controller()
class SummariesController {
  constructor(
    @Inject(SUMMARY_SERVICE) private readonly summaries: SummaryService,
    @Inject(JobReader) private readonly reader: JobReader,
    @Inject(OpenStreams) private readonly streams: OpenStreams,
    @Inject(ID_GENERATOR) private readonly ids: IdGenerator,
    @Inject(HoldCheck) private readonly holds: Pick<HoldCheck, 'requireNone'>,
  ) {}

  @Serves(getSummary)
  async default(@Input() { params }: InputOf<typeof getSummary>, @CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    const { job, ref } = await this.jobOf(caller, params.job_id);
    const found = await orNone(this.summaries.getSummary({ ...ref, summaryId: undefined }));
    void reply.send(summaryJson(completed(found?.summary, job, 'summary')));
  }

  @Serves(createSummary)
  async create(@Input() { params, body }: InputOf<typeof createSummary>, @CurrentCaller() caller: Caller, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { ref } = await this.jobOf(caller, params.job_id);
    const { format = '', template, instructions, language } = body;
    const order = { ...ref, summaryId: newIdOf('sum', request, this.ids), format, template, instructions, language };
    const { summary: created } = await this.summaries.createSummary(order);
    const summaryId = created?.summaryId ?? order.summaryId;
    const self = `/api/v1/transcriptions/${params.job_id}/summaries/${summaryId}`;
    void reply.status(202).header('location', self).send({ summary_id: summaryId, status: 'pending', links: { self } });
  }

  @Serves(listSummaries)
  async list(@Input() { params, query }: InputOf<typeof listSummaries>, @CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    const { ref } = await this.jobOf(caller, params.job_id);
    const page = await this.summaries.listSummaries({ ...ref, limit: query.limit, cursor: query.cursor });
    void reply.send({ data: page.summaries.map(summaryJson), next_cursor: page.nextCursor ?? null });
  }

  @Serves(getOneSummary)
  async one(@Input() { params, query }: InputOf<typeof getOneSummary>, @CurrentCaller() caller: Caller, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { ref } = await this.jobOf(caller, params.job_id);
    const read = async () => summaryJson(found(await this.summaries.getSummary({ ...ref, summaryId: params.summary_id })));
    if (query.wait === undefined) return void reply.send(await read());
    const known = request.headers['if-none-match'];
    const isAwaited = (json: SummaryJson) => hasEnded(json) || (known !== undefined && !matchesTag(known, tagOfBytes(JSON.stringify(json))));
    void reply.send(await this.reader.readWhen({ jobId: ref.jobId, read, isAwaited }, query.wait * 1000, await this.streams.hold(reply)));
  }

  @Serves(deleteSummary)
  async delete(@Input() { params }: InputOf<typeof deleteSummary>, @CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    const { ref } = await this.jobOf(caller, params.job_id);
    await this.holds.requireNone('The summary', ref.accountId, ref.jobId);
    await this.summaries.deleteSummary({ ...ref, summaryId: params.summary_id });
    void reply.status(204).send();
  }

  @Serves(getHighlights)
  async highlights(@Input() { params }: InputOf<typeof getHighlights>, @CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    const { job, ref } = await this.jobOf(caller, params.job_id);
    const found = await orNone(this.summaries.getHighlights(ref));
    void reply.send(highlightsJson(completed(found?.highlights, job, 'highlights')));
  }

  @Serves(getChapters)
  async chapters(@Input() { params }: InputOf<typeof getChapters>, @CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    const { job, ref } = await this.jobOf(caller, params.job_id);
    const found = await orNone(this.summaries.getChapters(ref));
    void reply.send(chaptersJson(completed(found?.chapters, job, 'chapters')));
  }

  @Serves(getEntities)
  async entities(@Input() { params }: InputOf<typeof getEntities>, @CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    const { job, ref } = await this.jobOf(caller, params.job_id);
    const found = await orNone(this.summaries.getEntities(ref));
    void reply.send(entitiesJson(completed(found?.entities, job, 'entities')));
  }

  /** The job is read first, because its owner knows a deletion at once and the owner of the summary a moment later. */
  private async jobOf({ accountId }: Caller, jobId: string): Promise<{ job: ingest.Job; ref: JobRef }> {
    const ref = { accountId, jobId };
    return { job: await this.reader.get(ref), ref };
  }
}

@Module({ imports: [HoldCheckModule, HttpModule, JobsModule], controllers: [SummariesController] })
export class SummariesModule {}

const hasEnded = ({ status }: SummaryJson): boolean => status !== 'pending' && status !== 'running';

function found({ summary: one }: summary.GetSummaryResponse): summary.Summary {
  if (!one) throw notFound('The summary');
  return one;
}
