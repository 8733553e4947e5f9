import { ApiError, ParlanceError, withKey } from '../errors.js';
import { piecesOf, type FileInput } from '../files.js';
import type { CallOptions } from '../options.js';
import { Pages } from '../pages.js';
import { pauseBefore } from '../retries.js';
import type { Query, Schemas, Upload } from '../schemas.js';
import { newIdempotencyKey, path, type Transport } from '../transport.js';

/** Larger files are sent in pieces of this size, each of which is repeated by itself. The server makes bytes durable as often. */
const PIECE_BYTES = 8 * 1024 * 1024;
const TUS = { 'tus-resumable': '1.0.0' };

export interface UploadProgress {
  sentBytes: number;
  /** Undefined for a stream of unknown size. */
  totalBytes: number | undefined;
}

export interface UploadOptions extends CallOptions {
  /** By default the name of the file. */
  fileName?: string;
  /** The size of a stream. With it, a lost connection costs one piece; without it, the whole stream. */
  size?: number;
  onProgress?: (progress: UploadProgress) => void;
}

interface Sending {
  name: string | undefined;
  size: number | undefined;
  options: UploadOptions;
  report: (sentBytes: number) => void;
  fetch: typeof fetch | undefined;
}

type Pieces = AsyncGenerator<Uint8Array<ArrayBuffer>>;

export class Uploads {
  constructor(private readonly transport: Transport) {}

  /** Uploads a file, at most 8 MiB of which are in memory. Its `upload_id` creates any number of jobs. */
  async create(file: FileInput, given: UploadOptions = {}): Promise<Upload> {
    const idempotencyKey = given.idempotencyKey ?? newIdempotencyKey();
    const options = { ...given, idempotencyKey };
    const { pieces, ...input } = piecesOf(file, PIECE_BYTES);
    const size = input.size ?? options.size;
    const sending: Sending = { name: options.fileName ?? input.name, size, options, fetch: input.fetch, report: (sentBytes) => options.onProgress?.({ sentBytes, totalBytes: size }) };
    try {
      return await this.#send(pieces, sending);
    } catch (error) {
      throw withKey(error, idempotencyKey);
    } finally {
      await pieces.return(undefined);
    }
  }

  get(uploadId: string, options?: CallOptions): Promise<Upload> {
    return this.transport.json({ method: 'GET', path: path`/uploads/${uploadId}` }, options);
  }

  list(query: Query<'listUploads'> = {}, options?: CallOptions): Pages<Upload> {
    return new Pages((cursor) => this.transport.json<Schemas['UploadPage']>({ method: 'GET', path: '/uploads', query: { ...query, ...(cursor && { cursor }) } }, options));
  }

  delete(uploadId: string, options?: CallOptions): Promise<void> {
    return this.transport.json({ method: 'DELETE', path: path`/uploads/${uploadId}` }, options);
  }

  async #send(pieces: Pieces, sending: Sending): Promise<Upload> {
    const first = (await pieces.next()).value ?? new Uint8Array();
    if (sending.size !== undefined && sending.size > PIECE_BYTES) return this.#sendInPieces(chain([first], pieces), sending, sending.size);
    const { value: second } = await pieces.next();
    if (second) return this.#sendStream(chain([first, second], pieces), sending);
    const upload = await this.#post(first, sending);
    sending.report(first.length);
    return upload;
  }

  #post(body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>, { name, options, fetch }: Sending): Promise<Upload> {
    const headers = { 'content-type': 'application/octet-stream' };
    return this.transport.json({ method: 'POST', path: '/uploads', query: { file_name: name }, body, headers, fetch }, options);
  }

  /** One request for a stream of unknown size, which cannot be repeated. */
  #sendStream(pieces: Pieces, sending: Sending): Promise<Upload> {
    if (sending.size !== undefined) throw new ParlanceError(`The file has more bytes than its size, ${sending.size}.`);
    if (!canSendStreams()) throw new ParlanceError('This runtime cannot send a stream of unknown size. Give its size, or a Blob.');
    let sent = 0;
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
      const { value } = await pieces.next();
      if (!value) return controller.close();
      controller.enqueue(value);
      sending.report((sent += value.length));
    };
    return this.#post(new ReadableStream({ pull }, { highWaterMark: 0 }), sending);
  }

  /** By the tus protocol: after a failure the server says which bytes it has. */
  async #sendInPieces(pieces: Pieces, sending: Sending, size: number): Promise<Upload> {
    const { name, options, fetch } = sending;
    const metadata = name === undefined ? undefined : `filename ${btoa(String.fromCharCode(...new TextEncoder().encode(name)))}`;
    const { upload_id: id } = await this.transport.json<Upload>({ method: 'POST', path: '/uploads', headers: { ...TUS, 'upload-length': String(size), 'upload-metadata': metadata }, fetch }, options);
    let start = 0;
    let offset = 0;
    for await (const piece of pieces) {
      const end = start + piece.length;
      if (end > size) throw new ParlanceError(`The file has more bytes than its size, ${size}.`);
      while (offset < end) offset = await this.#append(id, offset, piece.subarray(offset - start), sending);
      start = end;
      sending.report(end);
    }
    if (start < size) throw new ParlanceError(`The file has ${start} bytes, fewer than its size, ${size}.`);
    return this.transport.json({ method: 'GET', path: path`/uploads/${id}`, fetch }, options);
  }

  /** @returns the number of bytes that the server has */
  async #append(id: string, from: number, body: Uint8Array<ArrayBuffer>, { options, fetch }: Sending): Promise<number> {
    const retries = this.transport.maxRetriesOf(options);
    for (let attempts = 0; ; attempts++) {
      try {
        const headers = { ...TUS, 'content-type': 'application/offset+octet-stream', 'upload-offset': String(from) };
        await this.transport.answer({ method: 'PATCH', path: path`/uploads/${id}`, body, headers, fetch }, { ...options, maxRetries: 0 });
        return from + body.length;
      } catch (error) {
        const isElsewhere = error instanceof ApiError && error.code === 'upload_offset_mismatch';
        const pause = isElsewhere ? 0 : pauseBefore(attempts, error);
        if (pause === undefined || attempts >= retries) throw error;
        await this.transport.pause({ error, attempts: attempts + 1, pauseMs: pause }, options.signal);
        const offset = await this.#offset(id, options, fetch);
        if (offset < from) throw error;
        if (offset > from) return offset;
      }
    }
  }

  async #offset(id: string, options: UploadOptions, fetch: Sending['fetch']): Promise<number> {
    const { headers } = await this.transport.answer({ method: 'HEAD', path: path`/uploads/${id}`, headers: TUS, fetch }, options);
    return Number(headers.get('upload-offset') ?? Number.NaN);
  }
}

async function* chain(first: Uint8Array<ArrayBuffer>[], rest: Pieces): Pieces {
  yield* first;
  yield* rest;
}

/** Browsers that cannot send a stream make text of it or, as Safari, do not read `duplex`. Deno, Bun and workerd do not read it either, and send streams. */
function canSendStreams(): boolean {
  let isAsked = false;
  const init = {
    method: 'POST',
    body: new ReadableStream(),
    get duplex(): 'half' {
      isAsked = true;
      return 'half';
    },
  };
  return !new Request('http://localhost', init).headers.has('content-type') && (isAsked || !globalThis.navigator?.userAgent?.startsWith('Mozilla/'));
}
