import { Inject, Injectable } from '@nestjs/common';
import { CONTENTS_OF_TYPE, summary, type SummaryService, type TranscriptService, type WebhookContent } from '@parlance/contracts';
import { toAppError, type Clock, type Logger } from '@parlance/platform';
import { CLOCK, LOGGER, SUMMARY_SERVICE, TRANSCRIPT_SERVICE } from '@parlance/runtime';
import { transcriptJson } from '@parlance/transcript';
import type { WebhookDelivery } from '../deliveries/delivery.js';
import { ContentPlaces } from './content-places.js';

/** The limit of one content, in UTF-8. */
const MAX_BYTES = 512 * 1024;
/** At most so many webhooks with contents are sent at the same time, which takes some 64 MB. */
const MAX_AT_ONCE = 64;
const MAX_OF_ACCOUNT = 16;
/** Then the receiver has a turn again later. The wait is part of the time that a turn may take. */
const MAX_WAIT_FOR_PLACE_MS = 5_000;
/** So long after it became due, a webhook is sent without a content that cannot be read, so that it holds up the receiver's others no longer. */
const MAX_WAIT_MS = 10 * 60_000;

/** The reason for which a webhook lacks a content. */
type Omission = 'too_large' | 'not_available';
/** A content as JSON, and where the API has it. */
interface Content {
  json?: string;
  omitted?: Omission;
  path: string;
}

/** The part of `data` that contents depend on. */
interface EventData {
  job_id: string;
  stage?: string;
  summary_id?: string;
}

/**
 * Puts transcripts and summaries into webhooks whose receivers want them. They are read for each attempt and never stored here:
 * what was erased is not sent again, and a redelivery has the text as it is then.
 */
@Injectable()
export class WebhookContents {
  private readonly places = new ContentPlaces(MAX_AT_ONCE, MAX_OF_ACCOUNT, MAX_WAIT_FOR_PLACE_MS);

  constructor(
    @Inject(TRANSCRIPT_SERVICE) private readonly transcripts: TranscriptService,
    @Inject(SUMMARY_SERVICE) private readonly summaries: SummaryService,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /**
   * Sends the delivery with the contents that its event is about.
   * @param signal aborts when the delivery is not to be sent any more
   * @throws AppError when a content cannot be read at the moment, or too many are being sent
   */
  async send<T>(delivery: WebhookDelivery, include: readonly WebhookContent[], signal: AbortSignal, send: (body: string) => Promise<T>): Promise<T> {
    const { accountId, eventType, body } = delivery;
    const { data } = JSON.parse(body) as { data: EventData };
    const wanted = (CONTENTS_OF_TYPE[eventType] ?? []).filter((content) => include.includes(content) && (data.stage === undefined || data.stage === content));
    if (wanted.length === 0) return send(body);
    return this.places.hold(accountId, signal, async () => {
      const members: string[] = [];
      for (const content of wanted) members.push(membersOf(content, await this.read(content, delivery, data)));
      signal.throwIfAborted();
      // The body ends with that of `data`, which is never empty.
      return send(`${body.slice(0, -2)},${members.join(',')}}}`);
    });
  }

  private async read(content: WebhookContent, delivery: WebhookDelivery, { job_id: jobId, summary_id: summaryId }: EventData): Promise<Content> {
    const ref = { accountId: delivery.accountId, jobId };
    const path = `/api/v1/transcriptions/${jobId}/${summaryId === undefined ? content : `summaries/${summaryId}`}`;
    try {
      const json = content === 'transcript' ? await this.transcript(ref) : await this.summary({ ...ref, summaryId });
      if (json === undefined) return { omitted: 'not_available', path };
      return Buffer.byteLength(json) > MAX_BYTES ? { omitted: 'too_large', path } : { json, path };
    } catch (error) {
      const { kind, retryable } = toAppError(error);
      if (retryable && this.clock.now().getTime() - dueAt(delivery) <= MAX_WAIT_MS) throw error;
      if (kind !== 'not_found') this.log.warn({ err: error, delivery_id: delivery.id, job_id: jobId }, 'a webhook is sent without a content that cannot be read');
      return { omitted: 'not_available', path };
    }
  }

  /** Stops reading when it is too large. */
  private async transcript(ref: { accountId: string; jobId: string }): Promise<string | undefined> {
    const pages = this.transcripts.getTranscript({ ...ref, includeWords: false });
    const { value: first } = await pages.next();
    if (!first) return undefined;
    let json = '';
    for await (const piece of transcriptJson(first, pages)) if ((json += piece).length > MAX_BYTES) break;
    return json;
  }

  private async summary(request: { accountId: string; jobId: string; summaryId: string | undefined }): Promise<string | undefined> {
    const { summary: found } = await this.summaries.getSummary(request);
    if (found?.status !== summary.WorkStatus.WORK_STATUS_COMPLETED) return undefined;
    const { summaryId, format, language, text } = found;
    return JSON.stringify({ summary_id: summaryId, format, language, text });
  }
}

/** When this attempt became due. One that is due `AT_ONCE` has been so since its round began. */
const dueAt = ({ roundAt, nextAttemptAt }: WebhookDelivery): number => Math.max(Date.parse(roundAt), Date.parse(nextAttemptAt));

const membersOf = (content: WebhookContent, { json, omitted, path }: Content): string =>
  json === undefined ? `"${content}_omitted":"${omitted}","${content}_url":${JSON.stringify(path)}` : `"${content}":${json}`;
