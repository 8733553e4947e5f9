import { once } from 'node:events';
import { connect } from 'node:net';

export interface Pipeline {
  name: string;
  /** The requests of one connection, without a wait for an answer within a part, and with one before the next part. */
  parts: readonly string[];
  requests: number;
  connections: number;
  /** True to read nothing of the answers for 250 ms. */
  isTakenLate?: boolean;
  isAlwaysSent?: boolean;
  /** The number of answers that each connection must get; default 1. */
  minAnswers?: number;
  /** Milliseconds of processor time that each connection may take altogether; default: any. */
  maxTotalMs?: number;
}

const COUNT = 1500;
const CONNECTIONS = [1, 10];

/** Routes with large or costly answers, without and with a key, and hostile input, on one connection and on ten. */
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
  const repeated = requests.flatMap(({ name, request, count }) =>
    CONNECTIONS.map((connections) => ({ name: `${count} × ${name}, ${connections} connections`, parts: [request.repeat(count)], requests: count, connections })),
  );
  return [...repeated, ...hostilePipelines(apiKey)];
}

/** So many bytes once cost 83 ms of processor time with a key and 338 ms without one: its line ends were parsed one by one. */
const BODY_BYTES = 1_000_000;
const LINE_ENDS = '\r\n'.repeat(BODY_BYTES / 2);
/** Behind an upload. */
const GETS = 100;
const CHUNK_BYTES = 1000;

/** Bodies full of line ends, answers that are not taken, and what stands behind a request that gives up the connection. */
function hostilePipelines(apiKey: string): Pipeline[] {
  const get = 'GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n';
  const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n';
  const body = `${part}${LINE_ENDS}\r\n--b--\r\n`;
  const upload = (rest: string) => `POST /api/v1/transcriptions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${apiKey}\r\nContent-Type: multipart/form-data; boundary=b\r\n${rest}${get.repeat(GETS)}`;
  const withLength = upload(`Content-Length: ${body.length}\r\n\r\n${body}`);
  const chunked = upload(`Transfer-Encoding: chunked\r\n\r\n${chunksOf(body)}0\r\n\r\n`);
  const tunnel = 'CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n';
  const pipelines: (Omit<Pipeline, 'connections'>)[] = [
    { name: 'an upload of line ends', parts: [withLength], requests: GETS + 1, minAnswers: GETS + 1, maxTotalMs: 80 },
    { name: 'a chunked upload of line ends', parts: [chunked], requests: GETS + 1, minAnswers: GETS + 1, maxTotalMs: 80 },
    { name: 'line ends on an idle connection', parts: [get, `${LINE_ENDS}${get}`], requests: 2, minAnswers: 2, maxTotalMs: 100 },
    { name: 'answers that are not taken', parts: ['GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(50)], requests: 50, isTakenLate: true },
    { name: 'a CONNECT', parts: [`${tunnel}${get.repeat(COUNT)}`], requests: 1 },
  ];
  return pipelines.flatMap((pipeline) => CONNECTIONS.map((connections) => ({ ...pipeline, name: `${pipeline.name}, ${connections} connections`, connections, isAlwaysSent: connections === 1 })));
}

function chunksOf(text: string): string {
  let chunks = '';
  for (let place = 0; place < text.length; place += CHUNK_BYTES) {
    const chunk = text.slice(place, place + CHUNK_BYTES);
    chunks += `${chunk.length.toString(16)}\r\n${chunk}\r\n`;
  }
  return chunks;
}

/** Sends the pipeline on all its connections at once. @returns for each the number of answers that came within 250 ms of `minAnswers` */
export function sendPipeline(url: string, pipeline: Pipeline): Promise<number[]> {
  return Promise.all(Array.from({ length: pipeline.connections }, () => answersTo(url, pipeline)));
}

const FIRST_ANSWER_MS = 20_000;
const MORE_ANSWERS_MS = 250;
const STATUS_LINE = 'HTTP/1.1 ';

/** Takes answers for 250 ms from the last that must come: the longest turn is one of the first, and what is left over is not worth a minute. */
async function answersTo(url: string, { parts, requests, minAnswers = 1, isTakenLate = false }: Pipeline): Promise<number> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  const later = [...parts];
  let answers = 0;
  let timer = setTimeout(() => socket.destroy(), FIRST_ANSWER_MS);
  socket.on('error', () => {}).on('data', (bytes: Buffer) => {
    const before = answers;
    for (let place = bytes.indexOf(STATUS_LINE); place !== -1; place = bytes.indexOf(STATUS_LINE, place + 1)) answers++;
    if (before < minAnswers && answers >= minAnswers) {
      clearTimeout(timer);
      timer = setTimeout(() => socket.destroy(), MORE_ANSWERS_MS);
    }
    if (answers >= requests) socket.destroy();
    else sendNext();
  });
  const sendNext = () => {
    const next = later.shift();
    if (next !== undefined) socket.write(next);
  };
  sendNext();
  if (isTakenLate) {
    socket.pause();
    setTimeout(() => socket.resume(), MORE_ANSWERS_MS);
  }
  await once(socket, 'close');
  clearTimeout(timer);
  return answers;
}
