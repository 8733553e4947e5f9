import { accountWork, common, ingest, live, liveMedia, search, summary, transcription, webhook, type AccountWorkService, type JobService, type LiveService, type SearchService, type SummaryService, type transcripts, type TranscriptService } from '@parlance/contracts';
import { AppError, notFound, requireMatch, toAppError } from '@parlance/platform';
import { standIn, StandInServer } from '@parlance/testing/stand-in-server';
import { queuedJob } from './job-messages.js';
import { StandInLive } from './stand-in-live.js';
import { StandInWebhooks } from './stand-in-webhooks.js';

interface StandInTranscript {
  header: transcription.TranscriptHeader;
  pages: transcripts.Segment[][];
  /** Whether it ends in an error. */
  breaksOff?: boolean;
}

const STAND_IN_MODEL: transcription.SpeechEngine = {
  model: 'default',
  isDefault: true,
  isLocal: true,
  reportsLanguage: true,
  formatsText: true,
  wordConfidence: transcription.EngineConfidence.ENGINE_CONFIDENCE_ALWAYS,
  languageConfidence: transcription.EngineConfidence.ENGINE_CONFIDENCE_NEVER,
  engine: undefined,
  price: undefined,
};

/** Real gRPC servers for the services behind the gateway, with what a test wants in them. */
export class StandInServices implements AsyncDisposable {
  readonly jobs = new Map<string, ingest.Job>();
  readonly created: ingest.CreateJobRequest[] = [];
  readonly updates: ingest.UpdateJobRequest[] = [];
  readonly orders: ingest.JobOrder[] = [];
  /** How many jobs each call made. */
  readonly batches: number[] = [];
  readonly erasures = new Map<string, ingest.Erasure>();
  /** Accounts that get no further jobs. */
  readonly closed = new Set<string>();
  /** The legal holds of accounts. */
  readonly holds = new Map<string, ingest.LegalHold>();
  readonly conversations = new Map<string, search.Conversation>();
  readonly transcripts = new Map<string, StandInTranscript>();
  /** Segments by chunk, in order, of chunks that are done. */
  readonly chunks = new Map<string, transcripts.Segment[][]>();
  readonly rendered: transcription.RenderTranscriptRequest[] = [];
  /** The default ones, by job. */
  readonly summaries = new Map<string, summary.Summary>();
  readonly furtherSummaries: summary.Summary[] = [];
  readonly ordered: summary.CreateSummaryRequest[] = [];
  readonly chapters = new Map<string, summary.Chapters>();
  readonly entities = new Map<string, summary.Entities>();
  readonly highlights = new Map<string, summary.Highlights>();
  readonly webhooks = new StandInWebhooks();
  readonly live = new StandInLive();
  readonly asked: search.AskRequest[] = [];
  /** The jobs that each answer of the chat cites. */
  readonly cited: string[] = [];
  engine = { name: 'stand-in', languages: ['en', 'de'], detectsLanguage: true, vocabulary: false, wordTimes: true, available: true };
  /** A second speech engine, which detects no language. */
  furtherModel: Partial<transcription.SpeechEngine> = {
    model: 'english',
    isDefault: false,
    isLocal: false,
    reportsLanguage: false,
    engine: { ...this.engine, name: 'stand-in:english', languages: ['en'], detectsLanguage: false },
    price: { perMinute: 0.006, currency: 'EUR' },
  };
  /** Called after each page of a transcript that is read; may wait. */
  afterPage: (signal: AbortSignal | undefined) => Promise<void> = async () => {};
  /** Whether the account has as many jobs in flight as it may have. */
  isFull = false;
  /** Called before a job is made; may throw or wait. */
  beforeCreate: (request: ingest.CreateJobRequest) => Promise<void> = async () => {};
  /** Called after the job is made, before the answer; may throw or wait. */
  afterCreate: (request: ingest.CreateJobRequest) => Promise<void> = async () => {};

  private server: StandInServer | undefined;

  static async start(): Promise<{ services: StandInServices; env: Record<string, string> }> {
    const services = new StandInServices();
    const server = await StandInServer.start([
      standIn(ingest.JobServiceDefinition, services.jobService()),
      standIn(accountWork.AccountWorkServiceDefinition, services.accountWork()),
      standIn(transcription.TranscriptServiceDefinition, services.transcriptService()),
      standIn(live.LiveServiceDefinition, services.liveService()),
      standIn(liveMedia.LiveMediaServiceDefinition, services.live.mediaService()),
      standIn(webhook.WebhookServiceDefinition, services.webhooks.service()),
      standIn(summary.SummaryServiceDefinition, services.summaryService()),
      standIn(search.SearchServiceDefinition, services.searchService()),
    ]);
    services.server = server;
    const { target } = server;
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
    await this.server?.[Symbol.asyncDispose]();
  }

  /** Closed accounts are only noted. */
  private accountWork(): Partial<AccountWorkService> {
    return {
      getAccountHold: async ({ accountId }: accountWork.GetAccountHoldRequest) => ({ hold: this.holds.get(accountId) }),
      closeAccount: async ({ accountId }: accountWork.CloseAccountRequest) => {
        this.closed.add(accountId);
        return {};
      },
      reopenAccount: async ({ accountId }: accountWork.ReopenAccountRequest) => {
        this.closed.delete(accountId);
        return {};
      },
      getAccountErasure: () => Promise.reject(notFound('The erasure')),
    };
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

  /** Finds no model but the default one, and recognizes English and German. */
  private liveService(): Partial<LiveService> {
    return {
      ...this.live.liveService(),
      getLiveEngine: async ({ model }: live.GetLiveEngineRequest): Promise<live.GetLiveEngineResponse> => {
        if (model !== undefined && model !== 'default') throw new AppError({ kind: 'not_found', code: 'model_unknown', message: 'There is no such model for live audio.' });
        return { engine: 'stand-in', mode: live.StreamingMode.STREAMING_MODE_ENDPOINTED, languages: ['en', 'de'] };
      },
    };
  }

  private summaryService(): SummaryService {
    return {
      getEngine: async (): Promise<summary.GetEngineResponse> => ({ engine: this.engine }),
      createSummary: async (request: summary.CreateSummaryRequest): Promise<summary.CreateSummaryResponse> => {
        const { summaryId, jobId, format } = request;
        this.ordered.push(request);
        const ordered = summary.Summary.fromPartial({ summaryId, jobId, format, status: summary.WorkStatus.WORK_STATUS_PENDING, createdAt: new Date() });
        this.furtherSummaries.unshift(ordered);
        return { summary: ordered };
      },
      getSummary: async ({ jobId, summaryId }: summary.GetSummaryRequest): Promise<summary.GetSummaryResponse> => {
        const found = summaryId === undefined ? this.summaries.get(jobId) : this.furtherSummaries.find((each) => each.summaryId === summaryId);
        if (!found) throw notFound('The summary');
        return { summary: found };
      },
      listSummaries: async ({ jobId }: summary.ListSummariesRequest): Promise<summary.ListSummariesResponse> => ({
        summaries: this.furtherSummaries.filter((each) => each.jobId === jobId),
        nextCursor: undefined,
      }),
      countOpenSummaries: async ({ jobId }: summary.CountOpenSummariesRequest): Promise<summary.CountOpenSummariesResponse> => ({
        count: this.furtherSummaries.filter((each) => each.jobId === jobId && each.status === summary.WorkStatus.WORK_STATUS_PENDING).length,
      }),
      deleteSummary: async ({ summaryId }: summary.DeleteSummaryRequest): Promise<summary.DeleteSummaryResponse> => {
        const at = this.furtherSummaries.findIndex((each) => each.summaryId === summaryId);
        if (at < 0) throw notFound('The summary');
        this.furtherSummaries.splice(at, 1);
        return {};
      },
      getHighlights: async ({ jobId }: summary.GetHighlightsRequest): Promise<summary.GetHighlightsResponse> => {
        const found = this.highlights.get(jobId);
        if (!found) throw notFound('The highlights');
        return { highlights: found };
      },
      createTranslation: async ({ jobId, language }: summary.CreateTranslationRequest): Promise<summary.CreateTranslationResponse> => ({ translation: summary.Translation.fromPartial({ jobId, language, status: summary.WorkStatus.WORK_STATUS_PENDING, createdAt: new Date(0) }) }),
      getTranslation: () => Promise.reject(notFound('The translation')),
      listTranslations: async (): Promise<summary.ListTranslationsResponse> => ({ languages: [] }),
      readTranslation: async function* (): AsyncGenerator<summary.ReadTranslationResponse> {
        yield* [];
      },
      getChapters: async ({ jobId }: summary.GetChaptersRequest): Promise<summary.GetChaptersResponse> => {
        const found = this.chapters.get(jobId);
        if (!found) throw notFound('The chapters');
        return { chapters: found };
      },
      getEntities: async ({ jobId }: summary.GetEntitiesRequest): Promise<summary.GetEntitiesResponse> => {
        const found = this.entities.get(jobId);
        if (!found) throw notFound('The entities');
        return { entities: found };
      },
    };
  }

  private searchService(): Partial<SearchService> {
    const { asked, cited, conversations } = this;
    return {
      getConversation: async ({ conversationId }: search.GetConversationRequest): Promise<search.GetConversationResponse> => {
        const conversation = conversations.get(conversationId);
        if (!conversation) throw notFound('The conversation');
        return { conversation };
      },
      deleteConversation: async ({ conversationId }: search.DeleteConversationRequest): Promise<search.DeleteConversationResponse> => {
        conversations.delete(conversationId);
        return {};
      },
      async *ask(request: search.AskRequest): AsyncGenerator<search.AskResponse> {
        asked.push(request);
        yield { event: { $case: 'delta', value: `Answer ${asked.length}.` } };
        yield { event: { $case: 'done', value: search.ChatAnswer.fromPartial({ conversationId: 'cht_1', answer: `Answer ${asked.length}.`, citations: cited.map((jobId) => ({ jobId, segmentId: 'seg_000001', quote: 'Yes.' })) }) } };
      },
    };
  }

  private jobService(): Partial<JobService> {
    return {
      createJobs: async ({ orders }: ingest.CreateJobsRequest): Promise<ingest.CreateJobsResponse> => {
        this.batches.push(orders.length);
        return { outcomes: await Promise.all(orders.map((order) => this.make(order))) };
      },
      finishLive: async (request: ingest.FinishLiveRequest): Promise<ingest.FinishLiveResponse> => {
        this.live.finishLive(request);
        return { job: this.find(request) };
      },
      requireRoom: async (): Promise<ingest.RequireRoomResponse> => {
        if (this.isFull) throw new AppError({ kind: 'rate_limited', code: 'too_many_jobs', message: 'The account has as many jobs as it may have.', retryAfter: 10 });
        return {};
      },
      getJob: async (request: ingest.GetJobRequest): Promise<ingest.GetJobResponse> => ({ job: this.find(request) }),
      listJobs: async ({ accountId, status, statuses, limit, cursor, metadata, projectId, kind }: ingest.ListJobsRequest): Promise<ingest.ListJobsResponse> => {
        if (cursor === 'broken') throw new AppError({ kind: 'invalid', code: 'invalid_cursor', message: 'The cursor is not valid.' });
        const matching = [...this.jobs.values()]
          .filter((job) => job.accountId === accountId)
          .filter((job) => projectId === undefined || job.projectId === projectId)
          .filter((job) => kind === undefined || (kind === 'live') === (job.live !== undefined))
          .filter((job) => statuses.length === 0 || statuses.includes(job.status))
          .filter((job) => status === common.JobStatus.JOB_STATUS_UNSPECIFIED || job.status === status)
          .filter((job) => Object.entries(metadata).every(([key, value]) => job.options?.metadata[key] === value))
          .toReversed();
        const start = Number(cursor ?? 0);
        return { jobs: matching.slice(start, start + limit), nextCursor: start + limit < matching.length ? String(start + limit) : undefined };
      },
      updateJob: async (request: ingest.UpdateJobRequest): Promise<ingest.UpdateJobResponse> => {
        requireMatch(request.ifMatch, String(this.find(request).version));
        this.updates.push(request);
        return { job: this.change(request.jobId, (job) => ({ ...job, ...(request.title && { title: request.title.value }), version: job.version + 1 })) };
      },
      cancelJob: async (request: ingest.CancelJobRequest): Promise<ingest.CancelJobResponse> => {
        const { status } = this.find(request);
        if (status !== common.JobStatus.JOB_STATUS_QUEUED && status !== common.JobStatus.JOB_STATUS_PROCESSING) throw invalidState();
        return { job: this.change(request.jobId, (job) => ({ ...job, status: common.JobStatus.JOB_STATUS_CANCELED })) };
      },
      retryJob: async (request: ingest.RetryJobRequest): Promise<ingest.RetryJobResponse> => {
        if (this.find(request).status !== common.JobStatus.JOB_STATUS_FAILED) throw invalidState();
        return { job: this.change(request.jobId, (job) => ({ ...job, status: common.JobStatus.JOB_STATUS_QUEUED, run: 2 })) };
      },
      deleteJob: async (request: ingest.DeleteJobRequest): Promise<ingest.DeleteJobResponse> => {
        this.find(request);
        this.jobs.delete(request.jobId);
        const erasureId = `era_${request.jobId.slice(4)}`;
        const items = [{ what: 'media', where: 'ingest', when: new Date(), count: 3 }];
        const erasure = { erasureId, jobId: request.jobId, status: 'pending', requestedAt: new Date(), completedAt: undefined, items, jws: 'a.b.c' };
        this.erasures.set(`${request.accountId}/${erasureId}`, erasure);
        return { erasureId };
      },
      listErasures: async ({ accountId }: ingest.ListErasuresRequest): Promise<ingest.ListErasuresResponse> => ({
        erasures: [...this.erasures].flatMap(([key, erasure]) => (key.startsWith(`${accountId}/`) ? [erasure] : [])),
      }),
      getErasure: async ({ accountId, erasureId }: ingest.GetErasureRequest): Promise<ingest.GetErasureResponse> => {
        const erasure = this.erasures.get(`${accountId}/${erasureId}`);
        if (!erasure) throw notFound('The erasure');
        return { erasure };
      },
      listMediaKeys: async (): Promise<ingest.ListMediaKeysResponse> => ({ keys: [{ id: 'mk_1', recipient: 'age1one', createdAt: new Date('2026-11-27T08:00:00.000Z'), acceptedUntil: undefined }] }),
      listReceiptKeys: async (): Promise<ingest.ListReceiptKeysResponse> => ({ keys: [{ jwk: '{"kty":"OKP","kid":"one"}' }] }),
    };
  }

  private transcriptService(): Partial<TranscriptService> {
    return {
      getEngine: async (): Promise<transcription.GetEngineResponse> => ({ engine: this.engine, maxChunkSeconds: 300 }),
      listEngines: async (): Promise<transcription.ListEnginesResponse> => ({
        engines: [{ ...STAND_IN_MODEL, engine: this.engine }, { ...STAND_IN_MODEL, ...this.furtherModel }],
      }),
      listChunkSegments: async ({ jobId, fromChunk }: transcription.ListChunkSegmentsRequest): Promise<transcription.ListChunkSegmentsResponse> => {
        const done = (this.chunks.get(jobId) ?? []).slice(fromChunk);
        return { segments: done.flat(), nextChunk: fromChunk + done.length };
      },
      getTranscript: ({ jobId, includeWords }, { signal } = {}) => this.pagesOf(jobId, includeWords, signal),
      renderTranscript: (request) => this.renderingOf(request),
      listSpeakers: async ({ jobId }: transcription.ListSpeakersRequest): Promise<transcription.ListSpeakersResponse> => ({ speakers: this.speakersOf(jobId), version: this.headerOf(jobId).version, merges: {} }),
      renameSpeaker: async ({ jobId, speakerId, name, ifMatch }: transcription.RenameSpeakerRequest): Promise<transcription.RenameSpeakerResponse> => {
        const speaker = this.speakersOf(jobId).find((each) => each.speakerId === speakerId);
        if (!speaker) throw notFound('The speaker');
        requireMatch(ifMatch, String(this.headerOf(jobId).version));
        speaker.name = name;
        return { speaker, version: ++this.headerOf(jobId).version };
      },
      mergeSpeakers: async ({ jobId, from }: transcription.MergeSpeakersRequest): Promise<transcription.MergeSpeakersResponse> => {
        const header = this.headerOf(jobId);
        header.speakers = header.speakers.filter(({ speakerId }) => speakerId !== from);
        return { speakers: header.speakers };
      },
    };
  }

  private async *pagesOf(jobId: string, includeWords: boolean, signal: AbortSignal | undefined): AsyncGenerator<transcription.GetTranscriptResponse> {
    const { header, pages, breaksOff } = this.transcriptOf(jobId);
    yield { header, segments: [] };
    for (const segments of pages) {
      yield { header: undefined, segments: segments.map((segment) => (includeWords ? segment : { ...segment, words: [] })) };
      await this.afterPage(signal);
    }
    if (breaksOff) throw new Error('the disk is gone');
  }

  private async *renderingOf(request: transcription.RenderTranscriptRequest): AsyncGenerator<transcription.RenderTranscriptResponse> {
    this.rendered.push(request);
    for (const segment of this.transcriptOf(request.jobId).pages.flat()) yield { data: Buffer.from(`${segment.text}\n`) };
  }

  private transcriptOf(jobId: string): StandInTranscript {
    const found = this.transcripts.get(jobId);
    if (!found) throw notFound('The transcript');
    return found;
  }

  private speakersOf(jobId: string): transcripts.Speaker[] {
    return this.transcripts.get(jobId)?.header.speakers ?? [];
  }

  private headerOf(jobId: string): transcription.TranscriptHeader {
    return this.transcriptOf(jobId).header;
  }
}

const invalidState = () => new AppError({ kind: 'conflict', code: 'invalid_state', message: 'The job is in another state.' });
