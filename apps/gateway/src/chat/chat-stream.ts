import type { search } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import { describeProblem, type RefusedRequest } from '../http/problem.js';
import { answerJson, citationJson } from './chat-json.js';

type Responses = AsyncGenerator<search.AskResponse>;

/** The answer when it is whole. */
export async function wholeAnswer(responses: Responses): Promise<search.ChatAnswer> {
  for await (const { event } of responses) if (event?.$case === 'done') return event.value;
  throw unfinished();
}

/**
 * Server-Sent Events: `delta`, then `citations`, then `done`. What fails before the first one is thrown, so that it gets its status;
 * what fails later is the event `error`, with a problem.
 * @param beforeCitations is called with the answer before its citations are sent
 */
export async function answerEvents(responses: Responses, request: RefusedRequest, beforeCitations: (answer: search.ChatAnswer) => Promise<void>): Promise<AsyncGenerator<string>> {
  return eventsOf(await responses.next(), responses, request, beforeCitations);
}

async function* eventsOf(first: IteratorResult<search.AskResponse>, rest: Responses, request: RefusedRequest, beforeCitations: (answer: search.ChatAnswer) => Promise<void>): AsyncGenerator<string> {
  try {
    for (let next = first; !next.done; next = await rest.next()) {
      const { event } = next.value;
      if (event?.$case === 'delta') yield sse('delta', { text: event.value });
      if (event?.$case !== 'done') continue;
      await beforeCitations(event.value);
      yield sse('citations', { citations: event.value.citations.map(citationJson) });
      yield sse('done', answerJson(event.value));
      return;
    }
    throw unfinished();
  } catch (error) {
    yield sse('error', describeProblem(error, request).problem);
  } finally {
    await rest.return(undefined);
  }
}

const sse = (name: string, data: object): string => `event: ${name}\ndata: ${JSON.stringify({ event: name, ...data })}\n\n`;

const unfinished = () => new AppError({ kind: 'unavailable', code: 'service_unavailable', message: 'The answer was interrupted before it was complete.', retryable: true });
