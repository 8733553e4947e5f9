import { Inject, Injectable } from '@nestjs/common';
import { isSourceKey, mediaKeys, type SummaryService } from '@parlance/contracts';
import { MEDIA_STORE, SUMMARY_SERVICE } from '@parlance/runtime';
import type { MediaStore } from '@parlance/storage';
import { LiveEvents } from '../live/session/live-events.js';
import type { AccountExport, ExportPosition } from './account-export.js';
import { InternalApi } from './internal-api.js';
import type { ZipFile } from './zip64.js';

type Files = AsyncGenerator<ZipFile>;

/** The account of the export, whether it has the recordings, and when it was ordered. */
type ExportOrder = Pick<AccountExport, 'id' | 'hasMedia' | 'createdAt'>;

/** The field of an item that has the time at which it was added. */
type TimeField = 'created_at' | 'requested_at' | 'timestamp' | 'time';

/** A list of the API. Without `item`, each page of it is a file; with it, each item has files of its own. */
interface Section {
  name: string;
  path: string;
  time: TimeField;
  /** The list grows at its end while it is read, so the section ends at the first page that has no item of the export. The other lists grow at their beginning, and end at their last page. */
  isAscending?: true;
  item?: (order: ExportOrder, item: Record<string, string>) => Files;
}

/** Files that are written together, and the place at which the walk continues; undefined at its end. */
interface ExportStep {
  files: Files;
  next: ExportPosition | undefined;
}

const PAGE = 100;
/** Milliseconds that the clock of a service may be ahead of the one that dated the order. What was added in them may be in the export too. */
const CLOCK_MARGIN_MS = 5 * 60_000;
const DIGITS = 6;

/** Results of a job, each with its path below that of the job. */
const RESULTS = ['speakers', 'summary', 'highlights', 'chapters', 'entities'] as const;
const LISTS = ['summaries', 'deliveries', 'links'] as const;

/** Walks through everything of an account, in steps that can be repeated and continued in another process. */
@Injectable()
export class ExportSections {
  private readonly sections: readonly Section[];

  constructor(
    @Inject(InternalApi) private readonly api: InternalApi,
    @Inject(LiveEvents) private readonly liveEvents: Pick<LiveEvents, 'list' | 'last'>,
    @Inject(SUMMARY_SERVICE) private readonly summaries: Pick<SummaryService, 'listTranslations'>,
    @Inject(MEDIA_STORE) private readonly media: Pick<MediaStore, 'list' | 'get'>,
  ) {
    this.sections = [
      { name: 'keys', path: '/keys', time: 'created_at' },
      { name: 'projects', path: '/projects', time: 'created_at' },
      { name: 'webhook-endpoints', path: '/webhook-endpoints', time: 'created_at' },
      { name: 'vocabularies', path: '/vocabularies', time: 'created_at', item: ({ id }, { vocabulary_id: name }) => this.one(id, `vocabularies/${name}.json`, `/vocabularies/${name}`) },
      { name: 'batches', path: '/batches', time: 'created_at', item: (order, { batch_id: name }) => this.batch(order, String(name)) },
      { name: 'conversations', path: '/conversations', time: 'created_at', item: ({ id }, { conversation_id: name }) => this.one(id, `conversations/${name}.json`, `/conversations/${name}`) },
      { name: 'transcriptions', path: '/transcriptions?order=asc', time: 'created_at', isAscending: true, item: (order, { job_id: jobId }) => this.job(order, String(jobId)) },
      { name: 'uploads', path: '/uploads', time: 'created_at' },
      { name: 'events', path: '/events', time: 'timestamp', isAscending: true },
      { name: 'erasures', path: '/erasures', time: 'requested_at' },
      { name: 'audit', path: '/audit', time: 'time' },
    ];
  }

  async step(order: ExportOrder, { section: index, cursor, number }: ExportPosition): Promise<ExportStep> {
    if (index < 0) return { files: this.account(order), next: this.sectionAt(0) };
    const section = this.sections[index];
    if (!section) return { files: none(), next: undefined };
    const { data, next } = await this.api.page(order.id, section.path, cursor, section.item ? 1 : PAGE);
    const exported = data.filter((item) => isExported(timeOf(item, section.time), order));
    const files = section.item ? itemFiles(section.item, order, exported) : pageFile(section.name, number, exported);
    // A whole page: events are in the order in which they were stored, which is not quite that of their times.
    const isOver = next === null || (section.isAscending === true && data.length > 0 && exported.length === 0);
    return { files, next: isOver ? this.sectionAt(index + 1) : { section: index, cursor: next, number: number + 1 } };
  }

  private sectionAt(section: number): ExportPosition | undefined {
    return section < this.sections.length ? { section, cursor: null, number: 1 } : undefined;
  }

  /** The account, and its usage by years: a report has a year at most. */
  private async *account({ id, createdAt }: ExportOrder): Files {
    yield* this.one(id, 'account.json', '/account');
    const account = await this.api.json<{ created_at: string }>(id, '/account');
    const last = Number(createdAt.slice(0, 4));
    for (let year = Number(account?.created_at.slice(0, 4) ?? last); year <= last; year += 1) yield* this.one(id, `usage/${year}.json`, `/usage?from=${year}-01-01&to=${year}-12-31`);
  }

  private async *batch(order: ExportOrder, batchId: string): Files {
    yield* this.one(order.id, `batches/${batchId}/batch.json`, `/batches/${batchId}`);
    yield { name: `batches/${batchId}/items.json`, pieces: jsonList(this.api.items(order.id, `/batches/${batchId}/items`)) };
  }

  private async *job(order: ExportOrder, jobId: string): Files {
    const { id: accountId } = order;
    const folder = `transcriptions/${jobId}`;
    const path = `/transcriptions/${jobId}`;
    const job = await this.api.json<{ kind: string }>(accountId, path);
    if (!job) return;
    yield* this.one(accountId, `${folder}/job.json`, `${path}?include=words`);
    for (const name of RESULTS) yield* this.one(accountId, `${folder}/${name}.json`, `${path}/${name}`);
    for (const name of LISTS) yield* this.list(order, `${folder}/${name}.json`, `${path}/${name}`);
    yield* this.revisions(order, folder, path);
    yield* this.translations(accountId, jobId, folder);
    yield* this.one(accountId, `${folder}/result.jwe`, `${path}/sealed`);
    if (job.kind === 'live') yield* this.live(order, jobId, folder);
    if (order.hasMedia) yield* this.recordings(accountId, jobId, folder);
  }

  private async *revisions(order: ExportOrder, folder: string, path: string): Files {
    for await (const item of this.items(order, `${path}/revisions`)) {
      const { revision } = item as { revision: number };
      yield* this.one(order.id, `${folder}/revisions/${revision}.json`, `${path}/revisions/${revision}`);
    }
  }

  private async *translations(accountId: string, jobId: string, folder: string): Files {
    const { languages } = await this.summaries.listTranslations({ accountId, jobId });
    for (const language of languages) {
      const path = `/transcriptions/${jobId}`;
      yield* this.one(accountId, `${folder}/translations/${language}.json`, `${path}/transcript?format=json&language=${language}`);
    }
  }

  /** The messages of a session are kept for some days. */
  private async *live(order: ExportOrder, jobId: string, folder: string): Files {
    yield* this.one(order.id, `${folder}/live.json`, `/live/${jobId}`);
    yield { name: `${folder}/live-events.json`, pieces: jsonList(this.messages(order, jobId)) };
  }

  /** Ends at the last message that there was when it began, as a session may still get messages while it is read. */
  private async *messages(order: ExportOrder, jobId: string): AsyncGenerator<unknown> {
    const last = await this.liveEvents.last(jobId);
    if (!last) return;
    for await (const { seq, createdAt, message } of this.liveEvents.list(jobId)) {
      if (seq > last.seq) return;
      if (isExported(createdAt, order)) yield message;
    }
  }

  /** As the store has them; of a job whose audio is redacted, without the original while the API does not give it. */
  private async *recordings(accountId: string, jobId: string, folder: string): Files {
    const job = await this.api.json<{ options?: { redaction?: { audio?: string; keep_original?: boolean } } }>(accountId, `/transcriptions/${jobId}?include=none`);
    const { audio, keep_original: keepsOriginal } = job?.options?.redaction ?? {};
    const { all, redacted } = mediaKeys(accountId, jobId);
    for await (const { key } of this.media.list(all)) {
      const isHidden = audio !== undefined && keepsOriginal !== true && !key.startsWith(redacted(0));
      if (isSourceKey(key) && !isHidden) yield { name: `${folder}/media/${key.slice(all.length)}`, pieces: await this.media.get(key), isPacked: true };
    }
  }

  private async *list(order: ExportOrder, name: string, path: string): Files {
    const items = this.items(order, path);
    const first = await items.next();
    if (!first.done) yield { name, pieces: jsonList(withFirst(first.value, items)) };
  }

  /** The items of a list of a job, which have the time at which they were created. */
  private async *items(order: ExportOrder, path: string): AsyncGenerator<unknown> {
    for await (const item of this.api.items(order.id, path)) if (isExported(timeOf(item, 'created_at'), order)) yield item;
  }

  private async *one(accountId: string, name: string, path: string): Files {
    const body = await this.api.get(accountId, path);
    if (body) yield { name, pieces: [body] };
  }
}

async function* none(): Files {}

async function* itemFiles(files: NonNullable<Section['item']>, order: ExportOrder, items: readonly unknown[]): Files {
  for (const item of items) yield* files(order, item as Record<string, string>);
}

async function* pageFile(name: string, number: number, data: readonly unknown[]): Files {
  if (data.length > 0) yield { name: `${name}/${String(number).padStart(DIGITS, '0')}.json`, pieces: [Buffer.from(JSON.stringify(data))] };
}

async function* withFirst(first: unknown, rest: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  yield first;
  yield* rest;
}

const timeOf = (item: unknown, field: TimeField): string | undefined => (item as Partial<Record<TimeField, string>>)[field];

/** True when an item of that time was there when the export was ordered, also when another machine dated it. An item without a time is as old as what it belongs to. */
const isExported = (time: string | undefined, { createdAt }: ExportOrder): boolean => time === undefined || Date.parse(time) < Date.parse(createdAt) + CLOCK_MARGIN_MS;

/** A JSON array of the items. */
export async function* jsonList(items: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  let separator = '[';
  for await (const item of items) {
    yield Buffer.from(`${separator}${JSON.stringify(item)}`);
    separator = ',';
  }
  yield Buffer.from(separator === '[' ? '[]' : ']');
}
