import { Server, ServerCredentials, type handleUnaryCall, type UntypedServiceImplementation } from '@grpc/grpc-js';
import { ingest, transcription, transcripts } from '@parlance/contracts';
import { notFound, toGrpcError } from '@parlance/platform';

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

  private constructor(private readonly server: Server) {}

  static async start(): Promise<{ standIn: TranscriptsStandIn; env: Record<string, string> }> {
    const server = new Server();
    const standIn = new TranscriptsStandIn(server);
    server.addService(ingest.JobServiceService, { getJob: standIn.getJob } as UntypedServiceImplementation);
    server.addService(transcription.TranscriptServiceService, standIn.transcriptService());
    const port = await new Promise<number>((resolve, reject) =>
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) => (error ? reject(error) : resolve(bound))),
    );
    return { standIn, env: { INGEST_GRPC_URL: `127.0.0.1:${port}`, TRANSCRIPTION_GRPC_URL: `127.0.0.1:${port}` } };
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
    this.server.forceShutdown();
  }

  private readonly getJob: handleUnaryCall<ingest.GetJobRequest, ingest.GetJobResponse> = ({ request }, callback) => {
    const found = this.transcripts.get(request.jobId);
    if (found?.accountId !== request.accountId) return callback(toGrpcError(notFound('The job')));
    const { accountId, createdAt, metadata } = found;
    callback(null, { job: ingest.Job.fromPartial({ jobId: request.jobId, accountId, createdAt, options: { metadata } }) });
  };

  private transcriptService(): UntypedServiceImplementation {
    const getTranscript: transcription.TranscriptServiceServer['getTranscript'] = (call) => {
      const { jobId, accountId } = call.request;
      this.beforeTranscript(jobId).then(
        () => {
          const found = this.transcripts.get(jobId);
          if (found?.accountId !== accountId) return void call.emit('error', toGrpcError(notFound('The transcript')));
          const { language, version, speakers, segments } = found;
          const header = transcription.TranscriptHeader.fromPartial({ language, version, speakers, duration: segments.length * 5, segmentCount: segments.length });
          call.write({ header, segments: [] });
          call.write({ header: undefined, segments: segments.map((segment) => transcripts.Segment.fromPartial(segment)) });
          call.end();
        },
        (error: unknown) => void call.emit('error', toGrpcError(error)),
      );
    };
    return { getTranscript } as UntypedServiceImplementation;
  }
}
