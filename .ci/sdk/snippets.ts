// What a user of the generated TypeScript client writes; the compiler reads it, and nothing runs it.
import type { components } from './types';
import {
  askTranscript,
  createTranscription,
  createUpload,
  exportTranscript,
  getTranscription,
  listEvents,
  listTranscriptions,
  searchTranscripts,
  streamEvents,
  type JobStatus,
  type ProblemCode,
} from './client';

export async function upload(file: Blob): Promise<string | undefined> {
  const { data: uploaded } = await createUpload({ body: file, query: { file_name: 'meeting.mp3' } });
  const { data: job } = await createTranscription({ body: { upload_id: uploaded?.upload_id, metadata: { project: 'apollo' } } });
  return job?.job_id;
}

export const byMetadata = () => listTranscriptions({ query: { metadata: ['project:apollo'], status: 'completed', limit: 5 } });

// @ts-expect-error A request names a known state.
export const byUnknownState = () => listTranscriptions({ query: { status: 'paused' } });

export async function pdf(jobId: string): Promise<number | undefined> {
  const { data } = await exportTranscript({ path: { job_id: jobId, format: 'pdf' } });
  return data?.size;
}

export async function state(jobId: string): Promise<{ status: JobStatus | string | undefined; bytes: number | undefined }> {
  const { data } = await getTranscription({ path: { job_id: jobId }, query: { include: 'words' } });
  return { status: data?.status, bytes: data?.media?.size_bytes };
}

export async function firstWord(jobId: string): Promise<string | undefined> {
  const { data } = await getTranscription({ path: { job_id: jobId }, query: { include: 'words' } });
  return data?.transcript?.segments[0]?.words?.[0]?.text;
}

export async function disabledUrls(): Promise<string[]> {
  const { data } = await listEvents({ query: { limit: 100 } });
  return (data?.data ?? []).flatMap((event) => (event.type === 'webhook_endpoint.disabled' ? [event.data.url] : []));
}

export async function follow(jobId: string): Promise<number[]> {
  const percents: number[] = [];
  const { stream } = await streamEvents({ path: { job_id: jobId } });
  for await (const event of stream) if (typeof event === 'object' && event.event === 'progress') percents.push(event.percent);
  return percents;
}

export async function citations(jobId: string): Promise<string[]> {
  const { data } = await askTranscript({ path: { job_id: jobId }, body: { message: 'What was decided?' } });
  return (data?.citations ?? []).map(({ quote }) => quote);
}

export async function matches(): Promise<string[]> {
  const { data } = await searchTranscripts({ query: { q: 'budget', metadata: ['project:apollo'] } });
  return (data?.data ?? []).flatMap(({ highlights: { text, ranges } }) => ranges.map(({ start, end }) => text.slice(start, end)));
}

export async function isRetried(jobId: string): Promise<boolean> {
  const { error } = await getTranscription({ path: { job_id: jobId } });
  const code: ProblemCode = 'rate_limited';
  return error !== undefined && error.code === code && error.retryable;
}

// The types of openapi-typescript.
export const retryable = (failure: components['schemas']['Failure']): boolean => failure.retryable;
export const textOf = (event: components['schemas']['JobStreamEvent']): string | undefined => (event.event === 'transcript.segment' ? event.text : undefined);
