import { common, ingest, transcription, transcripts } from '@parlance/contracts';
import { notFound } from '@parlance/platform';
import { standIn, StandInServer } from '@parlance/testing/stand-in-server';

interface HeldTranscript {
  header: transcription.TranscriptHeader;
  segments: transcripts.Segment[];
  merges: Record<string, string>;
}

/** Real gRPC servers for ingest and transcription, with the jobs and transcripts that a test wants. */
export class TranscriptsAndJobs implements AsyncDisposable {
  readonly jobs = new Map<string, ingest.Job>();
  readonly transcripts = new Map<string, HeldTranscript>();
  /** How often a transcript was read. */
  reads = 0;
  /** Called when a transcript was given. */
  afterRead: (jobId: string) => void = () => undefined;

  private server: StandInServer | undefined;

  static async start(): Promise<TranscriptsAndJobs> {
    const services = new TranscriptsAndJobs();
    services.server = await StandInServer.start([
      standIn(ingest.JobServiceDefinition, { getJob: async (request) => ({ job: services.find(services.jobs, request) }) }),
      standIn(transcription.TranscriptServiceDefinition, {
        listSpeakers: async (request) => services.speakersOf(request),
        getTranscript: (request) => services.pagesOf(request),
      }),
    ]);
    return services;
  }

  get env(): Record<string, string> {
    const { target = '' } = this.server ?? {};
    return { INGEST_GRPC_URL: target, TRANSCRIPTION_GRPC_URL: target };
  }

  /** A job with a transcript: a line a segment of four seconds, `Ann: Hello` said by the speaker S_Ann. */
  add(jobId: string, texts: readonly string[], { language = 'en', stages = [], options = {} }: { language?: string; stages?: common.StageState[]; options?: Partial<common.JobOptions> } = {}): void {
    const job = ingest.Job.fromPartial({ jobId, accountId: 'acc_1', run: 1, status: common.JobStatus.JOB_STATUS_PROCESSING, createdAt: new Date('2026-11-18T10:00:00Z'), stages, options });
    this.jobs.set(jobId, job);
    const segments = texts.map((line, index) => {
      const [, name, text = line] = /^([A-Z][a-z]+): (.*)$/u.exec(line) ?? [];
      const speakerId = name === undefined ? undefined : `S_${name}`;
      return transcripts.Segment.fromPartial({ segmentId: `seg_${String(index + 1).padStart(6, '0')}`, start: index * 5, end: index * 5 + 4, text, confidence: 1, words: wordsOf(text, index * 5, speakerId), ...(speakerId && { speakerId }) });
    });
    const ids = [...new Set(segments.flatMap(({ speakerId }) => speakerId ?? []))];
    const speakers = ids.map((speakerId) => ({ speakerId, name: speakerId.slice(2), talkTime: 4 }));
    const header = transcription.TranscriptHeader.fromPartial({ language, duration: texts.length * 5, speakers, segmentCount: segments.length, engine: 'stand-in', version: 1 });
    this.transcripts.set(jobId, { header, segments, merges: {} });
  }

  merge(jobId: string, from: string, into: string): void {
    const { header, merges } = this.find(this.transcripts, { jobId, accountId: 'acc_1' });
    header.speakers = header.speakers.filter(({ speakerId }) => speakerId !== from);
    header.version++;
    merges[from] = into;
  }

  /** As speakers that are found split a segment, half a second after its beginning and after the words of the first part. The texts may have other capitals and punctuation. */
  split(jobId: string, index: number, [first, second]: [string, string]): void {
    const { header, segments } = this.find(this.transcripts, { jobId, accountId: 'acc_1' });
    const whole = transcripts.Segment.fromPartial(segments[index] ?? {});
    const start = whole.start + 0.5;
    const count = first.split(' ').length;
    const words = `${first} ${second}`.split(' ').map((text, place) => transcripts.Word.fromPartial({ ...whole.words[place], text }));
    segments.splice(index, 1, { ...whole, text: first, end: start, words: words.slice(0, count) }, { ...whole, segmentId: `${whole.segmentId}_2`, text: second, start, words: words.slice(count) });
    header.version++;
  }

  /** A further revision, in which the segment has another text. */
  edit(jobId: string, index: number, text: string): void {
    const { header, segments } = this.find(this.transcripts, { jobId, accountId: 'acc_1' });
    const segment = segments[index] ?? transcripts.Segment.fromPartial({});
    segments[index] = { ...segment, text, words: wordsOf(text, segment.start, segment.speakerId) };
    header.version++;
    header.revision = (header.revision ?? 0) + 1;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server?.[Symbol.asyncDispose]();
  }

  private find<T>(held: Map<string, T>, { accountId, jobId }: { accountId: string; jobId: string }): T {
    const found = held.get(jobId);
    if (found === undefined || accountId !== 'acc_1') throw notFound('The job');
    return found;
  }

  private speakersOf(request: transcription.ListSpeakersRequest): transcription.ListSpeakersResponse {
    const { header, merges } = this.find(this.transcripts, request);
    return { speakers: header.speakers, version: header.version, merges, revision: header.revision ?? 0 };
  }

  private async *pagesOf({ jobId }: transcription.GetTranscriptRequest): AsyncGenerator<transcription.GetTranscriptResponse> {
    this.reads++;
    const found = this.transcripts.get(jobId);
    if (!found) throw notFound('The transcript');
    const { header, segments } = found;
    yield { header, segments: [] };
    for (let start = 0; start < segments.length; start += 200) yield { header: undefined, segments: segments.slice(start, start + 200) };
    this.afterRead(jobId);
  }
}

/** Words of a tenth of a second each. */
const wordsOf = (text: string, start: number, speakerId: string | undefined): transcripts.Word[] =>
  text.split(/\s+/u).map((word, index) => transcripts.Word.fromPartial({ start: start + index / 10, end: start + (index + 1) / 10, text: word, ...(speakerId && { speakerId }) }));
