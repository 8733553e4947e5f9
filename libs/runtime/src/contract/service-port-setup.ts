import type { decoding, transcription, CallOptions, MediaDecoderService, TranscriptService } from '@parlance/contracts';

/** The behaviour of the called service in a test. */
export interface Behaviour {
  list?: (request: transcription.ListChunkSegmentsRequest, options: CallOptions) => Promise<transcription.ListChunkSegmentsResponse>;
  pages?: (request: transcription.GetTranscriptRequest, options: CallOptions) => AsyncGenerator<transcription.GetTranscriptResponse>;
  run?: (requests: AsyncIterable<decoding.RunRequest>, options: CallOptions) => AsyncGenerator<decoding.RunResponse>;
}

/** An adapter that serves these services to callers. */
export interface ServicePorts {
  transcripts: Pick<TranscriptService, 'listChunkSegments' | 'getTranscript'>;
  decoder: MediaDecoderService;
  /** Accepts no more calls, and cuts off those that run longer than that. */
  drain(graceMs: number): Promise<void>;
  close(): Promise<void>;
}

export const aborted = (signal: AbortSignal | undefined) => new Promise<void>((resolve) => (signal?.aborted ? resolve() : signal?.addEventListener('abort', () => resolve())));
export const forever = () => new Promise<never>(() => undefined);
