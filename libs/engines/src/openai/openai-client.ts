import type * as OpenAiSdk from 'openai';
import { boundedAnswers, MAX_ANSWER_BYTES } from './bounded-answer.js';

interface OpenAiClientOptions {
  /** Up to and with `/v1`. */
  baseUrl: string;
  /** Servers of one's own often want none. */
  apiKey?: string;
  /** The time limit of one attempt. */
  timeoutSeconds: number;
  /** Further tries of the SDK on 408, 409, 429, 5xx and lost connections, after Retry-After or 0.5–8 s; default 3. */
  maxRetries?: number;
  /** Default 16 MB. */
  maxAnswerBytes?: number;
  fetch?: typeof globalThis.fetch;
}

export interface OpenAiClient {
  sdk: typeof OpenAiSdk;
  client: OpenAiSdk.OpenAI;
}

/** The SDK takes 34 MB, so that it is loaded by the first call and not by every process that could use it. */
export async function connectOpenAi(options: OpenAiClientOptions): Promise<OpenAiClient> {
  const { baseUrl, apiKey, timeoutSeconds, maxRetries = 3, maxAnswerBytes = MAX_ANSWER_BYTES, fetch = globalThis.fetch } = options;
  const sdk = await import('openai');
  const client = new sdk.OpenAI({
    baseURL: baseUrl,
    apiKey: apiKey || 'none',
    timeout: timeoutSeconds * 1000,
    maxRetries,
    logLevel: 'off', // it would write URLs and bodies past our logger
    // A redirect would take the recording or the transcript to an address that the operator has not chosen.
    fetch: boundedAnswers((url, init) => fetch(url, { ...init, redirect: 'manual' }), maxAnswerBytes),
  });
  return { sdk, client };
}
