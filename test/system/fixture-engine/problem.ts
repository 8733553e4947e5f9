import { expect } from '@jest/globals';
import type { Problem } from '@parlance/testing';

/** The answer as a problem of this status, checked for what every problem has. */
export async function problem(response: Response, status: number): Promise<Problem> {
  const body = (await response.json()) as Problem;
  expect([response.status, response.headers.get('content-type')]).toEqual([status, expect.stringMatching(/^application\/problem\+json/)]);
  expect(body).toMatchObject({
    type: expect.stringContaining(body.code),
    title: expect.any(String),
    status,
    detail: expect.any(String),
    instance: expect.any(String),
    code: expect.stringMatching(/^[a-z_]+$/),
    request_id: response.headers.get('x-request-id'),
    retryable: expect.any(Boolean),
  });
  expect(JSON.stringify(body)).not.toMatch(/\bat .*\.(js|ts):\d|node_modules|127\.0\.0\.1:\d+\/\w*rpc/);
  return body;
}

/** Each wrong field with the code of its error, sorted. */
export const pointersOf = ({ errors = [] }: Problem): string[][] => errors.map(({ pointer, code }) => [pointer, code]).toSorted();
