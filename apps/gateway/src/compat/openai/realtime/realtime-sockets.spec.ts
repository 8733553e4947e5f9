import { describe, expect, it } from '@jest/globals';
import { AppError, type Logger } from '@parlance/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RealtimeSockets } from './realtime-sockets.js';

/** The answer to a connection that is refused with this error, and what is logged. */
function refused(error: AppError) {
  const logged: unknown[] = [];
  const log = { error: (entry: unknown) => logged.push(entry) } as unknown as Logger;
  let answer = { status: 0, body: {} };
  const reply = {
    sent: false,
    status: (status: number) => {
      answer = { ...answer, status };
      return reply;
    },
    headers: () => reply,
    send: (body: Buffer) => (answer = { ...answer, body: JSON.parse(body.toString('utf8')) as object }),
  };
  const request = { url: '/v1/realtime', id: 'req_1', server: {}, raw: { headers: {} } };
  new RealtimeSockets({} as never, {} as never, {} as never, log).routes[0]?.refuse(error, request as unknown as FastifyRequest, reply as unknown as FastifyReply);
  return { ...answer, logged };
}

describe('a connection of OpenAI’s realtime protocol that is refused', () => {
  it('gets the error in OpenAI’s form', () => {
    const { status, body, logged } = refused(new AppError({ kind: 'unauthenticated', code: 'unauthenticated', message: 'The API key is not valid.' }));
    expect([status, body, logged]).toEqual([401, { error: { message: 'The API key is not valid.', type: 'authentication_error', param: null, code: 'invalid_api_key' } }, []]);
  });

  it('is logged with its cause when that was not expected', () => {
    const cause = new Error('The store is broken.');
    expect(refused(new AppError({ kind: 'internal', code: 'internal', message: 'Internal error.', cause }))).toMatchObject({ status: 500, logged: [{ err: cause, request_id: 'req_1' }] });
  });
});
