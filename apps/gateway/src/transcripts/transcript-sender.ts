import { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import type { ingest, summary, SummaryService, transcription, TranscriptService } from '@parlance/contracts';
import { AppError, type Logger } from '@parlance/platform';
import { LOGGER, SUMMARY_SERVICE, TRANSCRIPT_SERVICE } from '@parlance/runtime';
import { isDocumentFormat, renderChapters } from '@parlance/transcript';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { matchesTag, tagOf } from '../http/entity-tags.js';
import { invalidFields } from '../http/field-errors.js';
import { OpenStreams } from '../http/open-streams.js';
import type { InputOf } from '../http/request-input.js';
import { PRODUCT_VERSION } from '../info/product-version.js';
import { completed, orNone } from '../summaries/completed-work.js';
import { statusOfWork } from '../summaries/summary-json.js';
import { JobReader, type JobRef } from '../transcriptions/job-reader.js';
import { documentHead, translatedHead } from './document-head.js';
import { downloadHeader } from './download-name.js';
import { FILE_DELIVERY, type FileDelivery } from './file-delivery.js';
import { orNoTranscript } from './no-transcript.js';
import { atReadersPace } from './reader-pace.js';
import { renderedDocument, type RenderedDocument } from './rendered-document.js';
import type { ChosenFormat } from './transcript-format.js';
import { CHAPTERS_FILE, type exportTranscript } from './transcript-operations.js';

type DocumentOptions = InputOf<typeof exportTranscript>['query'];

/** Renders transcripts and sends them as they come. */
@Injectable()
export class TranscriptSender {
  constructor(
    @Inject(TRANSCRIPT_SERVICE) private readonly transcripts: TranscriptService,
    @Inject(SUMMARY_SERVICE) private readonly summaries: SummaryService,
    @Inject(JobReader) private readonly reader: JobReader,
    @Inject(OpenStreams) private readonly streams: OpenStreams,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** The chapters as a file. @throws AppError not_found, invalid_state */
  async sendChapters(ref: JobRef, request: FastifyRequest, reply: FastifyReply, delivery: FileDelivery = FILE_DELIVERY): Promise<void> {
    const job = await this.reader.get(ref);
    const found = await orNone(this.summaries.getChapters(ref));
    const { chapters, language } = completed(found?.chapters, job, 'chapters');
    const text = renderChapters(chapters, language);
    const headers = { etag: tagOf(text), ...delivery.headers };
    if (matchesTag(request.headers['if-none-match'], headers.etag)) return void reply.status(304).headers(headers).send();
    const disposition = { 'content-type': 'application/octet-stream', 'content-disposition': downloadHeader(job, CHAPTERS_FILE, delivery.disposition) };
    void reply.headers({ ...headers, ...disposition }).send(Buffer.from(text));
  }

  /** @throws AppError not_found, invalid_state, invalid_request, too_many_streams */
  async send(ref: JobRef, format: ChosenFormat, query: DocumentOptions, request: FastifyRequest, reply: FastifyReply, delivery: FileDelivery = FILE_DELIVERY): Promise<void> {
    const options = {
      format: format.message,
      speakers: query.speakers,
      timestamps: query.timestamps,
      maxLineChars: query.max_line_chars,
      maxLines: query.max_lines,
      minDuration: query.min_duration,
      maxDuration: query.max_duration,
      maxCps: query.max_cps,
      template: query.template,
      revision: query.revision,
    };
    if (query.template !== undefined && format.name !== 'md') throw invalidFields([{ pointer: '?template', code: 'invalid_value', detail: 'Only the format md takes a template.' }]);
    // Readers of a link have no key to count against.
    const signal = request.caller ? await this.streams.hold(reply) : this.streams.signalFor(reply);
    // The job is read first, because its owner knows a deletion at once and the owner of the transcript a moment later.
    const job = await this.reader.get(ref);
    const translation = await this.translationOf(job, ref, query.language);
    const head = !isDocumentFormat(format.name) ? NO_HEAD : translation ? translatedHead(job) : await documentHead(job, ref, this.summaries, signal, this.log);
    const etag = tagOf(PRODUCT_VERSION, await this.versionOf(job, ref), options, head, translation);
    const headers = { etag, ...delivery.headers };
    if (matchesTag(request.headers['if-none-match'], etag)) return void reply.status(304).headers(headers).send();
    const { pieces, replacedCharacters } = await this.render(job, { ...ref, ...options, ...head, language: translation?.language }, signal);
    const bytes = Readable.from(atReadersPace(pieces, reply.raw), { objectMode: false });
    void reply
      .headers({
        ...headers,
        ...(replacedCharacters !== undefined && { 'replaced-characters': String(replacedCharacters) }),
        'content-type': format.contentType,
        'content-disposition': downloadHeader(job, format.name, delivery.disposition),
      })
      .send(bytes);
  }

  /** @returns undefined for the transcript's own language @throws AppError not_found, and invalid_state while no text of it can be read */
  private async translationOf({ transcriptLanguage }: ingest.Job, ref: JobRef, language: string | undefined): Promise<Pick<summary.Translation, 'language' | 'edition'> | undefined> {
    if (language === undefined || language === transcriptLanguage) return undefined;
    const { translation } = await this.summaries.getTranslation({ ...ref, language });
    if (translation?.edition !== undefined) return { language, edition: translation.edition };
    const status = translation && statusOfWork(translation.status);
    const isOpen = status === 'pending' || status === 'running';
    const message = isOpen ? 'The translation is not ready yet.' : `There is no translation: ${translation?.error?.message ?? 'it was not completed.'}`;
    throw new AppError({ kind: 'conflict', code: 'invalid_state', reason: isOpen ? 'not_ready' : 'stage_failed', message, retryable: isOpen });
  }

  /** Read before the document is rendered, so that a change meanwhile at most makes a client read once more. @throws AppError invalid_state */
  private async versionOf(job: ingest.Job, ref: JobRef): Promise<number> {
    return (await orNoTranscript(job, this.transcripts.listSpeakers(ref))).version;
  }

  /** The document's bytes as they come; the first are awaited, so that a missing transcript is an answer of its own. */
  private async render(job: ingest.Job, rendering: transcription.RenderTranscriptRequest, signal: AbortSignal): Promise<RenderedDocument> {
    const document = renderedDocument(this.transcripts.renderTranscript(rendering, { signal }));
    return rendering.revision === undefined ? orNoTranscript(job, document) : document;
  }
}

const NO_HEAD = { title: undefined, createdAt: undefined, sections: [] };
