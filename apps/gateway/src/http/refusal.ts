import type { FastifyRequest } from 'fastify';
import { compatFormOf } from '../compat/compat-form.js';
import { fromFrameworkError } from './framework-error.js';
import { describeProblem, type RefusedRequest } from './problem.js';
import { withoutSecret } from './secret-path.js';

/** An answer that says why a request is refused. */
export interface Refusal {
  status: number;
  headers: Record<string, string>;
  body: object;
}

/** The refusal in the form that the clients of the path read: a problem document, or the error of another vendor's API. */
export function describeRefusal(thrown: unknown, request: RefusedRequest): Refusal {
  const { problem, headers } = describeProblem(fromFrameworkError(thrown), request);
  const form = compatFormOf(request.path);
  if (!form) return { status: problem.status, headers, body: problem };
  const { status, body, headers: own } = form.refusal(problem);
  const all: Record<string, string> = { ...headers, 'content-type': 'application/json; charset=utf-8', ...own };
  if (!problem.retryable) delete all['retry-after'];
  return { status, headers: all, body };
}

/** The error as a part of an answer whose status is sent already. */
export const refusalText = (request: FastifyRequest) => (error: unknown): string => JSON.stringify(describeRefusal(error, refusedRequest(request)).body);

export const refusedRequest = ({ url, id, server }: FastifyRequest): RefusedRequest => ({ path: withoutSecret(pathOf(url)), id, publicUrl: server.publicUrl });

export const pathOf = (url: string): string => url.split('?', 1)[0] ?? url;
