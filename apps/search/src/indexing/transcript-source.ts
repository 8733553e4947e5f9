import type { ingest, transcription, transcripts } from '@parlance/contracts';
import { callStream, callUnary, notFound, toAppError } from '@parlance/platform';

export interface JobRef {
  accountId: string;
  jobId: string;
}

export interface OpenedTranscript {
  header: transcription.TranscriptHeader;
  segments: AsyncIterable<transcripts.Segment>;
  /** For who does not read to the end. */
  close(): Promise<void>;
}

/** Jobs and transcripts, as the services that own them give them. */
export class TranscriptSource {
  constructor(
    private readonly jobs: ingest.JobServiceClient,
    private readonly transcripts: transcription.TranscriptServiceClient,
  ) {}

  /** undefined once it is deleted. */
  async job({ accountId, jobId }: JobRef, signal: AbortSignal): Promise<ingest.Job | undefined> {
    return orMissing(callUnary(this.jobs, this.jobs.getJob, { accountId, jobId }, { signal }).then(({ job }) => job));
  }

  /** Must be read to its end, or closed. @throws AppError not_found */
  async open({ accountId, jobId }: JobRef, signal: AbortSignal): Promise<OpenedTranscript> {
    const request = { accountId, jobId, includeWords: false };
    const pages = callStream<transcription.GetTranscriptRequest, transcription.GetTranscriptResponse>(this.transcripts, this.transcripts.getTranscript, request, { signal });
    const { value: first } = await pages.next();
    if (!first?.header) throw notFound('The transcript');
    return { header: first.header, segments: segmentsOf(first, pages), close: async () => void (await pages.return(undefined)) };
  }

  /** What is said of the transcript as a whole; undefined when there is none. */
  async header(ref: JobRef, signal: AbortSignal): Promise<transcription.TranscriptHeader | undefined> {
    const opened = await orMissing(this.open(ref, signal));
    await opened?.close();
    return opened?.header;
  }
}

async function* segmentsOf(first: transcription.GetTranscriptResponse, rest: AsyncGenerator<transcription.GetTranscriptResponse>): AsyncGenerator<transcripts.Segment> {
  try {
    yield* first.segments;
    for await (const { segments } of rest) yield* segments;
  } finally {
    await rest.return(undefined);
  }
}

const orMissing = <T>(asked: Promise<T>): Promise<T | undefined> =>
  asked.catch((error: unknown) => {
    if (toAppError(error).kind === 'not_found') return undefined;
    throw error;
  });
