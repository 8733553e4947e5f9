import { Readable } from 'node:stream';
import { Controller, Inject, Req, Res } from '@nestjs/common';
import type { ingest } from '@parlance/contracts';
import { languageName, whisperCode } from '@parlance/languages';
import { AppError } from '@parlance/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OpenStreams } from '../../http/open-streams.js';
import { refusalText } from '../../http/refusal.js';
import { withReadyStart } from '../../http/ready-start.js';
import { callerOf } from '../../keys/key-guard.js';
import { hasTranscript, isOver } from '../../transcriptions/job-json.js';
import type { JobRef } from '../../transcriptions/job-reader.js';
import { CompatRoute, TRANSCRIBES } from '../compat-route.js';
import { CompatTranscripts } from '../compat-transcripts.js';
import { requireTranscript } from '../job-failure.js';
import { LongAnswers, type LongAnswer } from '../long-answers.js';
import { asrJson, asrText, asrTsv } from './asr-answer.js';
import { gathered } from '../transcript-text.js';
import { AsrJobs } from './asr-jobs.js';
import type { AsrRequest } from './asr-request.js';

const ROOT = '/compat/asr';
/** The clients of this API have no setting for a key. */
const KEYLESS = { keyless: true };

/** The API of whisper-asr-webservice (ahmetoner, app/webservice.py): a translator to the jobs of this server. */
@Controller()
export class AsrController {
  constructor(
    @Inject(AsrJobs) private readonly jobs: AsrJobs,
    @Inject(CompatTranscripts) private readonly transcripts: CompatTranscripts,
    @Inject(LongAnswers) private readonly answers: LongAnswers,
    @Inject(OpenStreams) private readonly streams: OpenStreams,
  ) {}

  @CompatRoute('POST', [`${ROOT}/asr`], TRANSCRIBES, KEYLESS)
  async transcribe(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    // Before there is a job: without an answer, its transcription would be of no use.
    const signal = await this.streams.hold(reply);
    const { asked, ref, fileName } = await this.jobs.transcribe(callerOf(request), request);
    const isReady = (job: ingest.Job) => isOver(job) || (asked.diarization === false && hasTranscript(job));
    const body = (job: ingest.Job, ended: AbortSignal) => this.bodyOf(ref, asked, job, ended);
    const start = asked.output === 'txt' || asked.output === 'tsv' ? undefined : asked.output;
    // As the original: text/plain for all formats.
    const headers = { 'content-type': 'text/plain; charset=utf-8', 'content-disposition': `attachment; filename="${plainName(fileName)}.${asked.output}"`, 'asr-engine': 'parlance' };
    return this.send(reply, signal, { ref, isReady, body, start, failure: refusalText(request) }, headers);
  }

  @CompatRoute('POST', [`${ROOT}/detect-language`], TRANSCRIBES, KEYLESS)
  async detectLanguage(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const signal = await this.streams.hold(reply);
    const ref = await this.jobs.detectLanguage(callerOf(request), request);
    const isReady = (job: ingest.Job) => isOver(job) || hasTranscript(job);
    return this.send(reply, signal, { ref, isReady, body: detectedLanguage, start: 'json', failure: refusalText(request) }, { 'content-type': 'application/json; charset=utf-8' });
  }

  /** Clients call it to see whether the server is there and takes their key. */
  @CompatRoute('GET', [ROOT, `${ROOT}/health`], 'transcriptions:read', KEYLESS)
  health(@Res() reply: FastifyReply): void {
    void reply.status(200).send({ status: 'ok' });
  }

  private async send(reply: FastifyReply, signal: AbortSignal, answer: LongAnswer, headers: Record<string, string>): Promise<void> {
    const { body, isSpaced } = await this.answers.body(answer, signal);
    void reply
      .status(200)
      .headers({ ...headers, 'x-parlance-transcription-id': answer.ref.jobId, 'cache-control': 'no-store' })
      .send(Readable.from(isSpaced ? body : await withReadyStart(body), { objectMode: false }));
  }

  private async bodyOf(ref: JobRef, asked: AsrRequest, job: ingest.Job, signal: AbortSignal): Promise<AsyncGenerator<string | Uint8Array>> {
    const { output, words, diarization } = asked;
    if (output === 'srt' || output === 'vtt') {
      requireTranscript(job);
      return this.transcripts.captions(ref, output, signal, { speakers: diarization !== false });
    }
    const reading = await this.transcripts.reading(ref, job, output === 'json' && words, signal);
    if (output === 'json') return gathered(asrJson(asked, reading));
    return gathered(output === 'tsv' ? asrTsv(reading) : asrText(reading));
  }
}

/** @throws AppError when the job failed, or no language was detected */
async function detectedLanguage(job: ingest.Job): Promise<AsyncGenerator<string>> {
  requireTranscript(job);
  const { detectedLanguage: tag, languageConfidence } = job;
  if (tag === undefined) throw new AppError({ kind: 'invalid', code: 'language_uncertain', message: 'The language of the recording could not be detected.' });
  const answer = { detected_language: languageName(tag).toLowerCase(), language_code: whisperCode(tag), ...(languageConfidence !== undefined && { confidence: languageConfidence }) };
  return (async function* () {
    yield JSON.stringify(answer);
  })();
}

/** The name of the file for a header: ASCII without quotes and line breaks. */
const plainName = (fileName = 'audio_file'): string => fileName.replaceAll(/[^\x20-\x7e]|["\\]/g, '_');
