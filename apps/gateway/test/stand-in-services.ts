import {
  Server,
  ServerCredentials,
  type handleUnaryCall,
  type ServiceDefinition,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { common, ingest, search, summary, transcription, webhook, type transcripts } from '@parlance/contracts';
import { AppError, notFound, toAppError, toGrpcError } from '@parlance/platform';
import { MAX_MESSAGE_BYTES } from '@parlance/runtime';
import { queuedJob } from './job-messages.js';

type Unary<Request, Response> = (request: Request) => Promise<Response> | Response;

const unary =
  <Request, Response>(answer: Unary<Request, Response>): handleUnaryCall<Request, Response> =>
  async (call, callback) => {
    try {
      callback(null, await answer(call.request));
    } catch (error) {
      callback(toGrpcError(error));
    }
  };

interface StandInTranscript {
  header: transcription.TranscriptHeader;
  pages: transcripts.Segment[][];
  /** Whether it ends in an error. */
  breaksOff?: boolean;
}

/** Real gRPC servers for the services behind the gateway, with what a test wants in them. */
export class StandInServices implements AsyncDisposable {
  readonly jobs = new Map<string, ingest.Job>();
  readonly created: ingest.CreateJobRequest[] = [];
  readonly orders: ingest.JobOrder[] = [];
  /** How many jobs each call made. */
  readonly batches: number[] = [];
  readonly erasures = new Map<string, ingest.Erasure>();
  readonly transcripts = new Map<string, StandInTranscript>();
  /** Segments by chunk, in order, of chunks that are done. */
  readonly chunks = new Map<string, transcripts.Segment[][]>();
  readonly rendered: transcription.RenderTranscriptRequest[] = [];
  /** The default ones, by job. */
  readonly summaries = new Map<string, summary.Summary>();
  readonly furtherSummaries: summary.Summary[] = [];
  readonly ordered: summary.CreateSummaryRequest[] = [];
  readonly highlights = new Map<string, summary.Highlights>();
  readonly deliveries: webhook.Delivery[] = [];
  readonly endpoints: webhook.Endpoint[] = [];
  readonly events: webhook.AccountEvent[] = [];
  engine = { name: 'stand-in', languages: ['en', 'de'], detectsLanguage: true, vocabulary: false, wordTimes: true, available: true };
  secret = 'whsec_c2VjcmV0';
  /** Whether the account has as many jobs in flight as it may have. */
  isFull = false;
  /** Called before a job is made; may throw or wait. */
  beforeCreate: (request: ingest.CreateJobRequest) => Promise<void> = async () => {};
  /** Called after the job is made, before the answer; may throw or wait. */
  afterCreate: (request: ingest.CreateJobRequest) => Promise<void> = async () => {};

  private constructor(private readonly server: Server) {}

  static async start(): Promise<{ services: StandInServices; env: Record<string, string> }> {
    const server = new Server({ 'grpc.max_receive_message_length': MAX_MESSAGE_BYTES });
    const services = new StandInServices(server);
    server.addService(ingest.JobServiceService, { ...findsNothing(ingest.JobServiceService), ...services.jobService() });
    server.addService(transcription.TranscriptServiceService, { ...findsNothing(transcription.TranscriptServiceService), ...services.transcriptService() });
    server.addService(webhook.WebhookServiceService, { ...findsNothing(webhook.WebhookServiceService), ...services.webhookService() });
    server.addService(summary.SummaryServiceService, { ...findsNothing(summary.SummaryServiceService), ...services.summaryService() });
    server.addService(search.SearchServiceService, findsNothing(search.SearchServiceService));
    const port = await new Promise<number>((resolve, reject) =>
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) => (error ? reject(error) : resolve(bound))),
    );
    const target = `127.0.0.1:${port}`;
    return { services, env: { INGEST_GRPC_URL: target, TRANSCRIPTION_GRPC_URL: target, WEBHOOK_DISPATCHER_GRPC_URL: target, SUMMARY_GRPC_URL: target, SEARCH_GRPC_URL: target } };
  }

  job(jobId: string): ingest.Job {
    const job = this.jobs.get(jobId);
    if (!job) throw new Error(`the test has no job ${jobId}`);
    return job;
  }

  /** Changes the job as its owner would: a new version. */
  change(jobId: string, change: (job: ingest.Job) => ingest.Job): ingest.Job {
    const job = this.job(jobId);
    const changed = { ...change(job), version: job.version + 1 };
    this.jobs.set(jobId, changed);
    return changed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.forceShutdown();
  }

  private find({ accountId, jobId }: { accountId: string; jobId: string }): ingest.Job {
    const job = this.jobs.get(jobId);
    if (job?.accountId !== accountId) throw notFound('The job');
    return job;
  }

  private async make(order: ingest.JobOrder): Promise<ingest.JobOutcome> {
    const request = order.job ?? ingest.CreateJobRequest.fromPartial({});
    this.orders.push(order);
    try {
      await this.beforeCreate(request);
      this.created.push(request);
      if (!this.jobs.has(request.jobId)) this.jobs.set(request.jobId, queuedJob(request));
      await this.afterCreate(request);
      const { jobId, createdAt } = this.find(request);
      return { outcome: { $case: 'created', value: { jobId, createdAt } } };
    } catch (error) {
      const { kind, code, message, retryable } = toAppError(error);
      return { outcome: { $case: 'error', value: { kind, code, message, retryable } } };
    }
  }

  private summaryService(): UntypedServiceImplementation {
    const service = {
      getEngine: unary((): summary.GetEngineResponse => ({ engine: this.engine })),
      createSummary: unary((request: summary.CreateSummaryRequest): summary.CreateSummaryResponse => {
        const { summaryId, jobId, format } = request;
        this.ordered.push(request);
        const ordered = summary.Summary.fromPartial({ summaryId, jobId, format, status: summary.WorkStatus.WORK_STATUS_PENDING, createdAt: new Date() });
        this.furtherSummaries.unshift(ordered);
        return { summary: ordered };
      }),
      getSummary: unary(({ jobId, summaryId }: summary.GetSummaryRequest): summary.GetSummaryResponse => {
        const found = summaryId === undefined ? this.summaries.get(jobId) : this.furtherSummaries.find((each) => each.summaryId === summaryId);
        if (!found) throw notFound('The summary');
        return { summary: found };
      }),
      listSummaries: unary(({ jobId }: summary.ListSummariesRequest): summary.ListSummariesResponse => ({
        summaries: this.furtherSummaries.filter((each) => each.jobId === jobId),
        nextCursor: undefined,
      })),
      getHighlights: unary(({ jobId }: summary.GetHighlightsRequest): summary.GetHighlightsResponse => {
        const found = this.highlights.get(jobId);
        if (!found) throw notFound('The highlights');
        return { highlights: found };
      }),
    } satisfies summary.SummaryServiceServer;
    return service;
  }

  private jobService(): UntypedServiceImplementation {
    const service = {
      createJobs: unary(async ({ orders }: ingest.CreateJobsRequest): Promise<ingest.CreateJobsResponse> => {
        this.batches.push(orders.length);
        return { outcomes: await Promise.all(orders.map((order) => this.make(order))) };
      }),
      requireRoom: unary((): ingest.RequireRoomResponse => {
        if (this.isFull) throw new AppError({ kind: 'rate_limited', code: 'too_many_jobs', message: 'The account has as many jobs as it may have.', retryAfter: 10 });
        return {};
      }),
      getJob: unary((request: ingest.GetJobRequest): ingest.GetJobResponse => ({ job: this.find(request) })),
      listJobs: unary(({ accountId, status, limit, cursor, metadata }: ingest.ListJobsRequest): ingest.ListJobsResponse => {
        if (cursor === 'broken') throw new AppError({ kind: 'invalid', code: 'invalid_cursor', message: 'The cursor is not valid.' });
        const matching = [...this.jobs.values()]
          .filter((job) => job.accountId === accountId)
          .filter((job) => status === common.JobStatus.JOB_STATUS_UNSPECIFIED || job.status === status)
          .filter((job) => Object.entries(metadata).every(([key, value]) => job.options?.metadata[key] === value))
          .toReversed();
        const start = Number(cursor ?? 0);
        return { jobs: matching.slice(start, start + limit), nextCursor: start + limit < matching.length ? String(start + limit) : undefined };
      }),
      cancelJob: unary((request: ingest.CancelJobRequest): ingest.CancelJobResponse => {
        const { status } = this.find(request);
        if (status !== common.JobStatus.JOB_STATUS_QUEUED && status !== common.JobStatus.JOB_STATUS_PROCESSING) throw invalidState();
        return { job: this.change(request.jobId, (job) => ({ ...job, status: common.JobStatus.JOB_STATUS_CANCELED })) };
      }),
      retryJob: unary((request: ingest.RetryJobRequest): ingest.RetryJobResponse => {
        if (this.find(request).status !== common.JobStatus.JOB_STATUS_FAILED) throw invalidState();
        return { job: this.change(request.jobId, (job) => ({ ...job, status: common.JobStatus.JOB_STATUS_QUEUED, run: 2 })) };
      }),
      deleteJob: unary((request: ingest.DeleteJobRequest): ingest.DeleteJobResponse => {
        this.find(request);
        this.jobs.delete(request.jobId);
        const erasureId = `era_${request.jobId.slice(4)}`;
        const items = [{ what: 'media', where: 'ingest', when: new Date(), count: 3 }];
        const erasure = { erasureId, jobId: request.jobId, status: 'pending', requestedAt: new Date(), completedAt: undefined, items };
        this.erasures.set(`${request.accountId}/${erasureId}`, erasure);
        return { erasureId };
      }),
      getErasure: unary(({ accountId, erasureId }: ingest.GetErasureRequest): ingest.GetErasureResponse => {
        const erasure = this.erasures.get(`${accountId}/${erasureId}`);
        if (!erasure) throw notFound('The erasure');
        return { erasure };
      }),
    } satisfies Partial<ingest.JobServiceServer>;
    return service;
  }

  private transcriptService(): UntypedServiceImplementation {
    const service = {
      getEngine: unary((): transcription.GetEngineResponse => ({ engine: this.engine, maxChunkSeconds: 300 })),
      listChunkSegments: unary(({ jobId, fromChunk }: transcription.ListChunkSegmentsRequest): transcription.ListChunkSegmentsResponse => {
        const done = (this.chunks.get(jobId) ?? []).slice(fromChunk);
        return { segments: done.flat(), nextChunk: fromChunk + done.length };
      }),
      getTranscript: (call) => {
        const found = this.transcripts.get(call.request.jobId);
        if (!found) return void call.emit('error', toGrpcError(notFound('The transcript')));
        call.write({ header: found.header, segments: [] });
        for (const segments of found.pages) {
          const words = (segment: transcripts.Segment) => (call.request.includeWords ? segment : { ...segment, words: [] });
          call.write({ header: undefined, segments: segments.map(words) });
        }
        if (found.breaksOff) call.emit('error', toGrpcError(new Error('the disk is gone')));
        else call.end();
      },
      renderTranscript: (call) => {
        this.rendered.push(call.request);
        const found = this.transcripts.get(call.request.jobId);
        if (!found) return void call.emit('error', toGrpcError(notFound('The transcript')));
        for (const segment of found.pages.flat()) call.write({ data: Buffer.from(`${segment.text}\n`) });
        call.end();
      },
      listSpeakers: unary(({ jobId }: transcription.ListSpeakersRequest): transcription.ListSpeakersResponse => ({ speakers: this.speakersOf(jobId), version: 1, merges: {} })),
      renameSpeaker: unary(({ jobId, speakerId, name }: transcription.RenameSpeakerRequest): transcription.RenameSpeakerResponse => {
        const speaker = this.speakersOf(jobId).find((each) => each.speakerId === speakerId);
        if (!speaker) throw notFound('The speaker');
        speaker.name = name;
        this.headerOf(jobId).version++;
        return { speaker };
      }),
      mergeSpeakers: unary(({ jobId, from }: transcription.MergeSpeakersRequest): transcription.MergeSpeakersResponse => {
        const header = this.headerOf(jobId);
        header.speakers = header.speakers.filter(({ speakerId }) => speakerId !== from);
        return { speakers: header.speakers };
      }),
    } satisfies transcription.TranscriptServiceServer;
    return service;
  }

  private speakersOf(jobId: string): transcripts.Speaker[] {
    return this.transcripts.get(jobId)?.header.speakers ?? [];
  }

  private headerOf(jobId: string): transcription.TranscriptHeader {
    const found = this.transcripts.get(jobId);
    if (!found) throw notFound('The transcript');
    return found.header;
  }

  private webhookService(): UntypedServiceImplementation {
    const service = {
      listDeliveries: unary(({ jobId, endpointId }: webhook.ListDeliveriesRequest): webhook.ListDeliveriesResponse => {
        if (endpointId !== undefined) throw notFound('The endpoint');
        return { deliveries: this.deliveries.filter((delivery) => delivery.jobId === jobId), nextCursor: undefined };
      }),
      redeliver: unary(({ deliveryId }: webhook.RedeliverRequest): webhook.RedeliverResponse => {
        const delivery = this.deliveries.find((each) => each.deliveryId === deliveryId);
        if (!delivery) throw notFound('The delivery');
        return { delivery };
      }),
      getDelivery: unary(({ deliveryId }: webhook.GetDeliveryRequest): webhook.GetDeliveryResponse => {
        const delivery = this.deliveries.find((each) => each.deliveryId === deliveryId);
        if (!delivery) throw notFound('The delivery');
        return { delivery };
      }),
      createEndpoint: unary(({ url, eventTypes, enabled }: webhook.CreateEndpointRequest): webhook.CreateEndpointResponse => {
        const endpoint = webhook.Endpoint.fromPartial({ url, eventTypes, enabled, endpointId: `whe_${this.endpoints.length + 1}`, createdAt: new Date() });
        this.endpoints.push(endpoint);
        return { endpoint };
      }),
      listEndpoints: unary((): webhook.ListEndpointsResponse => ({ endpoints: this.endpoints, nextCursor: undefined })),
      listEvents: unary(({ after, limit }: webhook.ListEventsRequest): webhook.ListEventsResponse => {
        const from = Number(after ?? 0);
        const events = this.events.slice(from, from + limit);
        return { events, nextCursor: String(from + events.length), hasMore: from + limit < this.events.length, retainedSince: new Date() };
      }),
      getSecret: unary((): webhook.GetSecretResponse => ({ secret: this.secret, previousExpiresAt: undefined })),
      rotateSecret: unary((): webhook.RotateSecretResponse => {
        this.secret = 'whsec_bmV3ZXI=';
        return { secret: this.secret, previousExpiresAt: new Date(Date.now() + 86_400_000) };
      }),
    } satisfies Partial<webhook.WebhookServiceServer>;
    return service;
  }
}

/** What the tests do not ask further of a service. */
const findsNothing = (definition: ServiceDefinition): UntypedServiceImplementation =>
  Object.fromEntries(
    Object.keys(definition).map((method) => [
      method,
      (call: { emit(event: 'error', error: unknown): void }, callback?: (error: unknown) => void) => {
        const error = toGrpcError(notFound('This'));
        if (callback) callback(error);
        else call.emit('error', error);
      },
    ]),
  );

const invalidState = () => new AppError({ kind: 'conflict', code: 'invalid_state', message: 'The job is in another state.' });
