import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';

const WITHOUT_BODY = [204, 205, 304];

type Sendable = Uint8Array | string | undefined;

/**
 * `fetch` for requests in memory. The one of Node makes three copies of a body, and its parser is a program in WebAssembly, whose
 * compilation takes 20 MB. Redirects are not followed.
 */
export const sendByHttp: typeof fetch = async (input, init = {}) => {
  const { body = undefined } = init;
  return isSendable(body) ? send(new URL(String(input)), init, body) : fetch(input, init);
};

const isSendable = (body: unknown): body is Sendable => body === undefined || typeof body === 'string' || body instanceof Uint8Array;

function send(url: URL, { method, headers, signal }: RequestInit, body: Sendable): Promise<Response> {
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const settings = { method, headers: Object.fromEntries(new Headers(headers)), signal: signal ?? undefined };
    request(url, settings, (incoming) => resolve(responseOf(incoming))).on('error', reject).end(body);
  });
}

function responseOf(incoming: IncomingMessage): Response {
  const { statusCode: status = 0, statusMessage: statusText, headersDistinct } = incoming;
  const headers = Object.entries(headersDistinct).flatMap(([name, values = []]) => values.map((value): [string, string] => [name, value]));
  const isEmpty = WITHOUT_BODY.includes(status);
  if (isEmpty) incoming.resume();
  return new Response(isEmpty ? null : (Readable.toWeb(incoming) as ReadableStream<Uint8Array>), { status, statusText, headers });
}
