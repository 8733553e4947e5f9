import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  content,
  eventually,
  MediaServer,
  SAMPLES,
  startParlance,
  TraceCollector,
  WebhookReceiver,
  type CollectedSpan,
  type Parlance,
} from '@parlance/testing';

const JOBS = 3;
/** What one job needs of all seven services, whichever way it goes through them. */
const WORK = [
  'gateway: POST /api/v1/transcriptions',
  'ingest: fetch media',
  'ingest: probe media',
  'ingest: decode media',
  'ingest: plan chunks',
  'transcription: transcribe chunk',
  'transcription: merge transcript',
  'diarization: stage diarization',
  'summary: stage summary',
  'search: stage search',
  'webhook-dispatcher: POST webhook',
];
/** Which of them calls which, while it handles an event. */
const CALLS = [
  'ingest → gateway: parlance.gateway.v1.AccountService/ReserveSeconds',
  'summary → transcription: parlance.transcription.v1.TranscriptService/GetTranscript',
  'search → transcription: parlance.transcription.v1.TranscriptService/GetTranscript',
];

interface TracedJob {
  jobId: string;
  /** Of the caller who asked for it. */
  caller: { traceId: string; spanId: string };
  spans: CollectedSpan[];
}

let collector: TraceCollector;
let media: MediaServer;
let receiver: WebhookReceiver;
let parlance: Parlance;
/** At the same time, of one account, with room for one chunk at once: the end of one job's work sets off another's. */
let jobs: TracedJob[];

const opened = new AsyncDisposableStack();

beforeAll(async () => {
  collector = opened.use(await TraceCollector.start());
  media = opened.use(await MediaServer.start());
  receiver = opened.use(await WebhookReceiver.start());
  const env = {
    ...collector.settings,
    SPEECH_ENGINE_URL: `fixture:?${new URLSearchParams({ delayMs: '20' })}`,
    CHUNK_IDEAL_SECONDS: '5',
    CHUNK_MAX_SECONDS: '10',
  };
  parlance = opened.use(await startParlance({ env }));
  media.at('/meeting.mp3', content(await readFile(SAMPLES.meeting.path)));
  jobs = await Promise.all(Array.from({ length: JOBS }, trace));
});
afterAll(() => opened.disposeAsync());

/** Has a job done for a caller who traces, until all that it set off has ended. */
async function trace(): Promise<TracedJob> {
  const caller = { traceId: randomBytes(16).toString('hex'), spanId: randomBytes(8).toString('hex') };
  const jobId = await parlance.api.submit(
    { audio_url: media.url('/meeting.mp3?token=secret'), callback_url: `${receiver.url}?key=secret` },
    { traceparent: `00-${caller.traceId}-${caller.spanId}-01` },
  );
  await parlance.api.terminal(jobId);
  const spans = await eventually('the whole trace', () => {
    const collected = collector.of(caller.traceId);
    const ids = new Set([...collected.map(({ spanId }) => spanId), caller.spanId]);
    const whole = collected.every(({ parentSpanId }) => ids.has(parentSpanId ?? ''));
    return whole && missing(collected).length === 0 && webhookOf(jobId, 'transcription.completed') && count(collected, 'POST webhook') >= 3 && collected;
  });
  return { jobId, caller, spans };
}

const serviceOf = ({ service }: CollectedSpan): string => service.replace('parlance-', '');
const stepOf = (span: CollectedSpan): string => `${serviceOf(span)}: ${span.name}`;

/** Of what a job's trace has to show. */
function missing(spans: readonly CollectedSpan[]): string[] {
  const services = new Map(spans.map((span) => [span.spanId, serviceOf(span)]));
  const shown = new Set(spans.flatMap((span) => [stepOf(span), `${services.get(span.parentSpanId ?? '')} → ${stepOf(span)}`]));
  return [...WORK, ...CALLS].filter((step) => !shown.has(step));
}

const count = (spans: readonly CollectedSpan[], name: string): number => spans.filter((span) => span.name === name).length;
const webhookOf = (jobId: string, type: string) => receiver.of(jobId).find(({ body }) => body.type === type);

describe('a job', () => {
  it('is one trace, from HTTP through events to gRPC over all seven services, below the span of its caller', () => {
    for (const { spans, caller } of jobs) {
      expect(spans.filter(({ parentSpanId }) => parentSpanId === caller.spanId).map(({ name }) => name)).toEqual(['POST /api/v1/transcriptions']);
      expect(missing(spans)).toEqual([]);
      expect(count(spans, 'transcribe chunk')).toBeGreaterThan(1);
      expect(spans.filter(({ failed }) => failed)).toEqual([]);
    }
  });

  it('leads from its request over calls and events to the header of a webhook', () => {
    for (const { jobId, spans } of jobs) {
      const header = String(webhookOf(jobId, 'transcription.transcript_ready')?.headers['traceparent']);
      const attempt = spans.find(({ spanId }) => header.split('-')[2] === spanId);
      const path = collector.pathTo(attempt!).map(stepOf);
      // Not there where another job's call took this one along, or its event was faster to look for queued jobs.
      expect(path.filter((step) => !/CreateJobs$|process job.created$/.test(step))).toEqual([
        'gateway: POST /api/v1/transcriptions',
        'ingest: create job',
        'ingest: perform ingest-fetch',
        'ingest: perform ingest-decode',
        'transcription: process media.ready',
        'transcription: perform transcription',
        'transcription: process chunk.transcribed',
        'transcription: merge transcript',
        'ingest: process transcript.completed',
        'webhook-dispatcher: process job.transcript_ready',
        'webhook-dispatcher: POST webhook',
      ]);
    }
  });

  it('has nothing of another in its trace', () => {
    for (const { jobId, spans } of jobs) {
      const others = jobs.map((job) => job.jobId).filter((id) => id !== jobId);
      expect(spans.filter(({ attributes }) => others.some((id) => JSON.stringify(attributes).includes(id)))).toEqual([]);
    }
  });

  it('shows nothing that is secret or said', () => {
    const words = SAMPLES.meeting.reference.split(/\s+/).slice(0, 5).join(' ');
    const shown = JSON.stringify(jobs.map(({ spans }) => spans));
    for (const hidden of ['secret', parlance.api.apiKey, words]) expect(shown).not.toContain(hidden);
  });

  it('has its trace in the log lines about it', async () => {
    const lines = (await parlance.log()).split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Record<string, unknown>] : []));
    for (const { jobId, caller } of jobs) {
      const about = lines.filter((line) => line['job_id'] === jobId);
      expect(about.map(({ msg }) => msg)).toEqual(expect.arrayContaining(['job created', 'chunk transcribed', 'transcript completed', 'job completed', 'webhook tried']));
      expect(new Set(about.map((line) => line['trace_id']))).toEqual(new Set([caller.traceId]));
    }
  });
});
