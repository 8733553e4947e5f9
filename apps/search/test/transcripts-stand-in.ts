import { ingest, transcription, transcripts } from '@parlance/contracts';
import { notFound } from '@parlance/platform';
import { standIn, StandInServer } from '@parlance/testing/stand-in-server';

export interface StandInTranscript {
  accountId: string;
  language: string;
  version: number;
  speakers: { speakerId: string; name: string }[];
  segments: Partial<transcripts.Segment>[];
  createdAt: Date;
  metadata: Record<string, string>;
}

/** Real gRPC servers in place of ingest and transcription, with the jobs and transcripts that a test wants in them. */
export class TranscriptsStandIn implements AsyncDisposable {
  readonly transcripts = new Map<string, StandInTranscript>();
  /** Called before a transcript is given; may throw or wait. */
  beforeTranscript: (jobId: string) => Promise<void> = async () => {};

  private server: StandInServer | undefined;

  static async start(): Promise<{ standIn: TranscriptsStandIn; env: Record<string, string> }> {
    const services = new TranscriptsStandIn();
    const server = await StandInServer.start([
      standIn(ingest.JobServiceDefinition, { getJob: async (request) => services.jobOf(request) }),
      standIn(transcription.TranscriptServiceDefinition, { getTranscript: (request) => services.pagesOf(request) }),
    ]);
    services.server = server;
    return { standIn: services, env: { INGEST_GRPC_URL: server.target, TRANSCRIPTION_GRPC_URL: server.target } };
  }

  /** A sentence a segment, five seconds each. */
  add(jobId: string, texts: readonly (string | [speakerId: string, text: string])[], changes: Partial<StandInTranscript> = {}): void {
    const segments = texts.map((said, index) => {
      const [speakerId, text] = typeof said === 'string' ? [undefined, said] : said;
      return { segmentId: `seg_${String(index + 1).padStart(6, '0')}`, start: index * 5, end: index * 5 + 4.5, speakerId, text, confidence: 0.9 };
    });
    const createdAt = new Date('2026-03-01T09:00:00.000Z');
    this.transcripts.set(jobId, { accountId: 'acc_1', language: 'en', version: 1, speakers: [], segments, createdAt, metadata: {}, ...changes });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server?.[Symbol.asyncDispose]();
  }

  private jobOf({ jobId, accountId }: ingest.GetJobRequest): ingest.GetJobResponse {
    const { createdAt, metadata } = this.find(jobId, accountId, 'The job');
    return { job: ingest.Job.fromPartial({ jobId, accountId, createdAt, options: { metadata } }) };
  }

  private async *pagesOf({ jobId, accountId }: transcription.GetTranscriptRequest): AsyncGenerator<transcription.GetTranscriptResponse> {
    await this.beforeTranscript(jobId);
    const { language, version, speakers, segments } = this.find(jobId, accountId, 'The transcript');
    yield { header: transcription.TranscriptHeader.fromPartial({ language, version, speakers, duration: segments.length * 5, segmentCount: segments.length }), segments: [] };
    yield { header: undefined, segments: segments.map((segment) => transcripts.Segment.fromPartial(segment)) };
  }

  private find(jobId: string, accountId: string, what: string): StandInTranscript {
    const found = this.transcripts.get(jobId);
    if (found?.accountId !== accountId) throw notFound(what);
    return found;
  }
}
