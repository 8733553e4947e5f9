import { Readable } from 'node:stream';
import { Controller, Inject, Param, Query, Req, Res } from '@nestjs/common';
import type { ingest, JobService } from '@parlance/contracts';
import { JOB_SERVICE } from '@parlance/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { nameResources } from '../../audit/audit-requests.js';
import { OpenStreams } from '../../http/open-streams.js';
import { withReadyStart } from '../../http/ready-start.js';
import type { Caller } from '../../keys/authenticator.js';
import { CurrentCaller } from '../../keys/current-caller.js';
import { timeText } from '../../transcriptions/job-json.js';
import { JobReader, type JobRef } from '../../transcriptions/job-reader.js';
import { requireClear } from '../../transcriptions/sealed-jobs.js';
import { atReadersPace } from '../../transcripts/reader-pace.js';
import { CompatRoute, TRANSCRIBES } from '../compat-route.js';
import { gathered } from '../transcript-text.js';
import { AssemblyAiJobs, audioUrlOf, baseUrlOf } from './assemblyai-jobs.js';
import { AssemblyAiList } from './assemblyai-list.js';
import { assemblyAiStatus, completedTranscript, deletedTranscript, errorOf, transcriptHead, withoutText } from './assemblyai-transcript.js';
import { captionWidth, searchedPhrases } from './assemblyai-query.js';
import { AssemblyAiTranscripts } from './assemblyai-transcripts.js';

const ROOT = '/compat/assemblyai/v2';
const TRANSCRIPT = `${ROOT}/transcript`;
/** AssemblyAI's API for recordings (v2): a translator to the jobs of this server. */
@Controller()
export class AssemblyAiController {
  constructor(
    @Inject(AssemblyAiJobs) private readonly creation: AssemblyAiJobs,
    @Inject(AssemblyAiList) private readonly lists: AssemblyAiList,
    @Inject(AssemblyAiTranscripts) private readonly transcripts: AssemblyAiTranscripts,
    @Inject(JobReader) private readonly reader: JobReader,
    @Inject(JOB_SERVICE) private readonly jobs: Pick<JobService, 'deleteJob'>,
    @Inject(OpenStreams) private readonly streams: Pick<OpenStreams, 'hold'>,
  ) {}

  @CompatRoute('POST', [`${ROOT}/upload`], 'transcriptions:write')
  async upload(@CurrentCaller() caller: Caller, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    void reply.status(200).send({ upload_url: await this.creation.upload(caller, request) });
  }

  @CompatRoute('POST', [TRANSCRIPT], TRANSCRIBES)
  async create(@CurrentCaller() caller: Caller, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const job = await this.reader.get(refOf(caller, await this.creation.create(caller, request)));
    void reply.status(200).send(withoutText(transcriptHead(job, audioUrlOf(request, job))));
  }

  @CompatRoute('GET', [TRANSCRIPT], 'transcriptions:read')
  async list(@CurrentCaller() caller: Caller, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { jobs, query, hasOlder } = await this.lists.read(caller, request.query);
    nameResources(request, jobs.map(({ jobId }) => jobId));
    const base = baseUrlOf(request) + TRANSCRIPT;
    const { before_id: before, after_id: after, ...filter } = query;
    const urlOf = (place: Record<string, string | undefined>) => pageUrl(base, { ...filter, ...place });
    const [newest, oldest] = [jobs[0]?.jobId, jobs.at(-1)?.jobId];
    const isNewestPage = before === undefined && after === undefined;
    void reply.status(200).send({
      page_details: {
        limit: query.limit,
        result_count: jobs.length,
        current_url: urlOf({ before_id: before, after_id: after }),
        prev_url: hasOlder && oldest !== undefined ? urlOf({ before_id: oldest }) : null,
        next_url: isNewestPage || newest === undefined ? null : urlOf({ after_id: newest }),
      },
      transcripts: jobs.map((job) => listedTranscript(job, request)),
    });
  }

  @CompatRoute('GET', [`${TRANSCRIPT}/:job_id`], 'transcriptions:read')
  async get(@CurrentCaller() caller: Caller, @Param('job_id') jobId: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { ref, job } = await this.find(caller, jobId);
    const head = transcriptHead(job, audioUrlOf(request, job));
    if (head.status !== 'completed') return void reply.status(200).send(withoutText(head));
    const signal = await this.streams.hold(reply);
    const [{ header, spoken }, found] = await Promise.all([this.transcripts.read(ref, job, signal), this.transcripts.found(ref, job)]);
    return this.sendJson(reply, completedTranscript(head, header, spoken, found));
  }

  @CompatRoute('DELETE', [`${TRANSCRIPT}/:job_id`], TRANSCRIBES)
  async delete(@CurrentCaller() caller: Caller, @Param('job_id') jobId: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { ref, job } = await this.find(caller, jobId);
    await this.jobs.deleteJob(ref);
    void reply.status(200).send(deletedTranscript(transcriptHead(job, audioUrlOf(request, job))));
  }

  @CompatRoute('GET', [`${TRANSCRIPT}/:job_id/sentences`], 'transcriptions:read')
  async sentences(@CurrentCaller() caller: Caller, @Param('job_id') jobId: string, @Res() reply: FastifyReply): Promise<void> {
    const { head, spoken } = await this.completed(caller, jobId, reply);
    return this.sendJson(reply, members(head, spoken.sentences()));
  }

  @CompatRoute('GET', [`${TRANSCRIPT}/:job_id/paragraphs`], 'transcriptions:read')
  async paragraphs(@CurrentCaller() caller: Caller, @Param('job_id') jobId: string, @Res() reply: FastifyReply): Promise<void> {
    const { head, spoken } = await this.completed(caller, jobId, reply);
    return this.sendJson(reply, members(head, spoken.paragraphs()));
  }

  @CompatRoute('GET', [`${TRANSCRIPT}/:job_id/word-search`], 'transcriptions:read')
  async search(@CurrentCaller() caller: Caller, @Param('job_id') jobId: string, @Query('words') words: unknown, @Res() reply: FastifyReply): Promise<void> {
    const phrases = searchedPhrases(words);
    const { spoken, signal } = await this.completed(caller, jobId, reply);
    const matches = await spoken.matches(phrases, signal);
    void reply.status(200).send({ id: jobId, total_count: matches.reduce((sum, { count }) => sum + count, 0), matches });
  }

  @CompatRoute('GET', [`${TRANSCRIPT}/:job_id/srt`], 'transcriptions:read')
  srt(@CurrentCaller() caller: Caller, @Param('job_id') jobId: string, @Query('chars_per_caption') width: unknown, @Res() reply: FastifyReply): Promise<void> {
    return this.sendCaptions(caller, jobId, 'srt', width, reply);
  }

  @CompatRoute('GET', [`${TRANSCRIPT}/:job_id/vtt`], 'transcriptions:read')
  vtt(@CurrentCaller() caller: Caller, @Param('job_id') jobId: string, @Query('chars_per_caption') width: unknown, @Res() reply: FastifyReply): Promise<void> {
    return this.sendCaptions(caller, jobId, 'vtt', width, reply);
  }

  private async sendCaptions(caller: Caller, jobId: string, format: 'srt' | 'vtt', width: unknown, reply: FastifyReply): Promise<void> {
    const charsPerCaption = captionWidth(width);
    const { ref, job } = await this.find(caller, jobId);
    const signal = await this.streams.hold(reply);
    await this.send(reply, this.transcripts.captions(ref, job, format, charsPerCaption, signal), format === 'srt' ? 'text/plain; charset=utf-8' : 'text/vtt; charset=utf-8');
  }

  private sendJson(reply: FastifyReply, pieces: AsyncGenerator<string>): Promise<void> {
    return this.send(reply, gathered(pieces), 'application/json; charset=utf-8');
  }

  /** Sends the pieces as the client takes them. */
  private async send(reply: FastifyReply, pieces: AsyncGenerator<string | Uint8Array>, type: string): Promise<void> {
    const body = await withReadyStart(atReadersPace(pieces, reply.raw));
    void reply.status(200).header('content-type', type).send(Readable.from(body, { objectMode: false }));
  }

  /** A whole transcript, which counts as an open stream until its answer is read. */
  private async completed(caller: Caller, jobId: string, reply: FastifyReply) {
    const { ref, job } = await this.find(caller, jobId);
    const signal = await this.streams.hold(reply);
    const { spoken, header } = await this.transcripts.read(ref, job, signal);
    return { spoken, signal, head: { id: jobId, audio_duration: Math.round(header.duration) } };
  }

  private async find(caller: Caller, jobId: string): Promise<{ ref: JobRef; job: ingest.Job }> {
    const ref = refOf(caller, jobId);
    return { ref, job: requireClear(await this.reader.get(ref)) };
  }
}

/** The object with further members. */
async function* members(head: object, more: AsyncGenerator<string>): AsyncGenerator<string> {
  yield JSON.stringify(head).slice(0, -1);
  yield* more;
  yield '}';
}

const refOf = ({ accountId, projectId }: Caller, jobId: string): JobRef => ({ accountId, jobId, projectId });

/** The URL of a page of a list, with the parameters that are given. */
function pageUrl(base: string, parameters: Record<string, string | number | undefined>): string {
  const given = Object.entries(parameters).flatMap(([name, value]): [string, string][] => (value === undefined ? [] : [[name, String(value)]]));
  return `${base}?${new URLSearchParams(given).toString()}`;
}

/** A transcript in a list. */
const listedTranscript = (job: ingest.Job, request: FastifyRequest) => ({
  id: job.jobId,
  resource_url: `${baseUrlOf(request)}${TRANSCRIPT}/${job.jobId}`,
  status: assemblyAiStatus(job),
  created: timeText(job.createdAt) ?? '',
  completed: timeText(job.completedAt) ?? null,
  audio_url: audioUrlOf(request, job),
  error: errorOf(job),
});
