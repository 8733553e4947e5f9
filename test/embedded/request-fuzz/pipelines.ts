import { once } from 'node:events';
import { connect } from 'node:net';

interface Pipeline {
  name: string;
  /** The requests of one connection, one after another without a wait for an answer. */
  text: string;
  requests: number;
  connections: number;
}

const COUNT = 1500;
const CONNECTIONS = [1, 10];

/** Routes with large or costly answers, without and with a key, on one connection and on ten. */
export function pipelines(apiKey: string, jobId: string): Pipeline[] {
  const key = `Authorization: Bearer ${apiKey}\r\n`;
  const body = JSON.stringify({ audio_url: 'not an address', metadata: { a: 'b' } });
  const chunked = `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  const get = (path: string, count = COUNT, headers = '') => ({ name: `GET ${path}${headers && ', a key'}`, request: `GET ${path} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`, count });
  const post = (path: string, name: string, rest: string) => ({ name: `POST ${path}, ${name}`, request: `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${rest}`, count: COUNT });
  const withLength = `Content-Length: ${body.length}\r\n\r\n${body}`;
  const job = `/api/v1/transcriptions/${jobId}`;
  const requests = [
    get('/openapi.json', 300),
    get('/'),
    get('/docs'),
    get('/docs/swagger-ui-bundle.js', 100),
    get('/problems'),
    get('/problems/invalid_request'),
    get('/metrics'),
    get('/health/ready'),
    get('/nothing'),
    get('/api/v1/languages'),
    get('/api/v1/languages', COUNT, key),
    get(`${job}?include=words`, COUNT, key),
    get(`${job}/transcript?format=vtt`, COUNT, key),
    get(`${job}/transcript?format=pdf`, 30, key),
    get(`${job}/events`, COUNT, key),
    get('/api/v1/transcriptions', COUNT, key),
    get('/api/v1/search?q=birch', COUNT, key),
    get('/api/v1/keys', COUNT, key),
    post('/api/v1/accounts', 'no key', withLength),
    post('/api/v1/transcriptions', 'no key', chunked),
    post('/api/v1/transcriptions', 'a key', `${key}${withLength}`),
    post('/api/v1/transcriptions', 'a key, chunked', `${key}${chunked}`),
  ];
  return requests.flatMap(({ name, request, count }) =>
    CONNECTIONS.map((connections) => ({ name: `${count} × ${name}, ${connections} connections`, text: request.repeat(count), requests: count, connections })),
  );
}

/** Sends the pipeline on all its connections at once. @returns the number of answers that came within this time of the first */
export async function sendPipeline(url: string, { text, requests, connections }: Pipeline, moreAnswersMs: number): Promise<number> {
  const answers = await Promise.all(Array.from({ length: connections }, () => answersTo(url, { text, requests, moreAnswersMs })));
  return answers.reduce((sum, each) => sum + each, 0);
}

const FIRST_ANSWER_MS = 20_000;
const STATUS_LINE = 'HTTP/1.1 ';

/** The longest turn is one of the first: the answers that are left over are not worth a minute. */
async function answersTo(url: string, { text, requests, moreAnswersMs }: { text: string; requests: number; moreAnswersMs: number }): Promise<number> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  let answers = 0;
  let timer = setTimeout(() => socket.destroy(), FIRST_ANSWER_MS);
  socket.once('data', () => {
    clearTimeout(timer);
    timer = setTimeout(() => socket.destroy(), moreAnswersMs);
  });
  socket.on('error', () => {}).on('data', (bytes: Buffer) => {
    for (let place = bytes.indexOf(STATUS_LINE); place !== -1; place = bytes.indexOf(STATUS_LINE, place + 1)) answers++;
    if (answers >= requests) socket.destroy();
  });
  socket.write(text);
  await once(socket, 'close');
  clearTimeout(timer);
  return answers;
}
