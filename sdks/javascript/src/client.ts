import { Live } from './live/live.js';
import type { CallOptions, ClientOptions } from './options.js';
import { Pages } from './pages.js';
import { Chat } from './resources/chat.js';
import { Speakers } from './resources/speakers.js';
import { Summaries } from './resources/summaries.js';
import { Transcriptions } from './resources/transcriptions.js';
import { Uploads } from './resources/uploads.js';
import { Webhooks } from './resources/webhooks.js';
import type { Query, Schemas, SearchHit, WebhookEvent } from './schemas.js';
import { Transport, type Request } from './transport.js';

/** A client of one server and one key. */
export class Parlance {
  readonly transcriptions: Transcriptions;
  readonly uploads: Uploads;
  readonly speakers: Speakers;
  readonly summaries: Summaries;
  readonly chat: Chat;
  readonly webhooks: Webhooks;
  readonly live: Live;
  readonly #transport: Transport;

  constructor(options: ClientOptions = {}) {
    const transport = new Transport(options);
    this.#transport = transport;
    this.uploads = new Uploads(transport);
    this.transcriptions = new Transcriptions(transport, this.uploads);
    this.speakers = new Speakers(transport);
    this.summaries = new Summaries(transport);
    this.chat = new Chat(transport);
    this.webhooks = new Webhooks(transport);
    this.live = new Live(transport);
  }

  /** Finds passages by words and by meaning. */
  search(query: Query<'searchTranscripts'>, options?: CallOptions): Pages<SearchHit> {
    return new Pages((cursor) => this.#transport.json<Schemas['SearchHitPage']>({ method: 'GET', path: '/search', query: { ...query, ...(cursor && { cursor }) } }, options));
  }

  /** Events of the jobs of the account in the last 30 days, as in webhooks. */
  events(query: Query<'listEvents'> = {}, options?: CallOptions): Pages<WebhookEvent> {
    return new Pages((cursor) => this.#transport.json<Schemas['WebhookEventPage']>({ method: 'GET', path: '/events', query: { ...query, ...(cursor && { after: cursor }) } }, options));
  }

  usage(query: Query<'getUsage'> = {}, options?: CallOptions): Promise<Schemas['Usage']> {
    return this.#transport.json({ method: 'GET', path: '/usage', query }, options);
  }

  /** Any other operation, such as `{ method: 'GET', path: '/languages' }`, with the same credentials, retries and errors. */
  request<T>(request: Request, options?: CallOptions): Promise<T> {
    return this.#transport.json(request, options);
  }
}
