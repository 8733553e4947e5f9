/** The answer of a service that refuses a call. */
export class HttpRefusal extends Error {
  override readonly name = 'HttpRefusal';
  constructor(
    readonly status: number,
    /** The start of the answer, for the log. */
    readonly answer: string,
  ) {
    super(`HTTP ${status}: ${answer}`);
  }
}

interface JsonCall {
  method: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: unknown;
  signal: AbortSignal;
}

/** Answers about one key are a few hundred bytes, those about a key with many versions a few thousand. */
const MAX_ANSWER_BYTES = 1024 * 1024;
const SHOWN_CHARACTERS = 300;

/** Redirects that keep method and body (RFC 9110, section 15.4). */
const REDIRECTS: ReadonlySet<number> = new Set([307, 308]);

/** Calls a service with JSON. One redirect is followed, as a standby Vault sends it. @throws HttpRefusal; the errors of fetch when there is no answer */
export async function callJson(url: string, call: JsonCall): Promise<unknown> {
  const first = await send(url, call);
  const place = redirectOf(first, url);
  await (place && first.body?.cancel());
  const response = place ? await send(place, call) : first;
  const text = await boundedText(response);
  if (!response.ok) throw new HttpRefusal(response.status, text.slice(0, SHOWN_CHARACTERS));
  return text === '' ? {} : parsed(text);
}

const send = (url: string, { method, headers = {}, body, signal }: JsonCall): Promise<Response> =>
  fetch(url, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    redirect: 'manual',
    signal,
  });

/** @returns where to; undefined for another answer, and for a place without TLS that one with TLS names: calls carry credentials and keys */
export function redirectOf({ status, headers }: Pick<Response, 'status' | 'headers'>, from: string): string | undefined {
  const to = REDIRECTS.has(status) ? URL.parse(headers.get('location') ?? '', from) : null;
  return to?.protocol === 'https:' || (to?.protocol === 'http:' && from.startsWith('http:')) ? to.href : undefined;
}

/** The error of `JSON.parse` quotes the text, which may be a key, and errors are logged. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('The answer is not JSON.');
  }
}

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_ANSWER_BYTES) throw new Error(`The answer has more than ${MAX_ANSWER_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
