import { Inject, Injectable } from '@nestjs/common';
import { CONTENTS_OF_TYPE, summary, type JobService, type SummaryService, type TranscriptService, type WebhookContent, type WebhookType } from '@parlance/contracts';
import { toAppError, type Clock, type Logger } from '@parlance/platform';
import { CLOCK, JOB_SERVICE, LOGGER, SUMMARY_SERVICE, TRANSCRIPT_SERVICE } from '@parlance/runtime';
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
/** The member of a webhook about a sealed job that stands for its text. */
const SEALED = 'sealed_result';
/** The event at which its sealed result is there; it has no content before. */
const END: WebhookType = 'transcription.completed';
type Member = WebhookContent | typeof SEALED;
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
    @Inject(JOB_SERVICE) private readonly jobs: Pick<JobService, 'getSealedResult'>,
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
    const contents = delivery.isSealed ? wanted.slice(0, eventType === END ? 1 : 0).map((): Member => SEALED) : wanted;
    if (contents.length === 0) return send(body);
    return this.places.hold(accountId, signal, async () => {
      const members: string[] = [];
      for (const content of contents) members.push(...membersOf(content, await this.read(content, delivery, data)));
      signal.throwIfAborted();
      // The body ends with that of `data`, which is never empty.
      return send(`${[body.slice(0, -2), ...members].join(',')}}}`);
    });
  }

  private async read(content: Member, delivery: WebhookDelivery, { job_id: jobId, summary_id: summaryId }: EventData): Promise<Content> {
    const ref = { accountId: delivery.accountId, jobId };
    const path = `/api/v1/transcriptions/${jobId}/${content === SEALED ? 'sealed' : summaryId === undefined ? content : `summaries/${summaryId}`}`;
    try {
      const json = content === SEALED ? await this.sealedResult(ref) : content === 'transcript' ? await this.transcript(ref) : await this.summary({ ...ref, summaryId });
      if (json === undefined) return { omitted: 'not_available', path };
      return Buffer.byteLength(json) > MAX_BYTES ? { omitted: 'too_large', path } : { json, path };
    } catch (error) {
      const { kind, retryable } = toAppError(error);
      if (retryable && this.clock.now().getTime() - dueAt(delivery) <= MAX_WAIT_MS) throw error;
      if (kind !== 'not_found' && kind !== 'conflict') this.log.warn({ err: error, delivery_id: delivery.id, job_id: jobId }, 'a webhook is sent without a content that cannot be read');
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

  /** Before the end of the job there is none. Stops reading when it is too large. */
  private async sealedResult(ref: { accountId: string; jobId: string }): Promise<string> {
    let jwe = '';
    for await (const { data } of this.jobs.getSealedResult(ref)) if ((jwe += Buffer.from(data).toString('latin1')).length > MAX_BYTES) break;
    return JSON.stringify(jwe);
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

/** The sealed result has one address, which receivers know. */
function membersOf(content: Member, { json, omitted, path }: Content): string[] {
  if (json !== undefined) return [`"${content}":${json}`];
  return content === SEALED ? [] : [`"${content}_omitted":"${omitted}","${content}_url":${JSON.stringify(path)}`];
}
