import { Inject, Injectable } from '@nestjs/common';
import { common } from '@parlance/contracts';
import { isUncertain } from '../idempotency/idempotency.js';
import { Admission } from '../transcriptions/admission.js';
import { acceptedJob, Creation, type CreationRequest } from '../transcriptions/creation.js';
import { JobMaker } from '../transcriptions/job-maker.js';
import { JobRequests } from '../transcriptions/job-requests.js';
import type { AcceptedJob } from '../transcriptions/job-schema.js';
import { LiveEngines } from './live-engines.js';
import { audioOf, liveSource } from './live-json.js';
import { LivePlaces, type OpenedSession } from './live-places.js';
import type { NewLive } from './live-schema.js';

interface CreatedLive {
  id: string;
  replayed: boolean;
}

/** Creates sessions with their jobs; under an Idempotency-Key each once. */
@Injectable()
export class LiveCreation {
  constructor(
    @Inject(Creation) private readonly creation: Pick<Creation, 'once'>,
    @Inject(Admission) private readonly admission: Pick<Admission, 'admitUrl'>,
    @Inject(JobRequests) private readonly requests: JobRequests,
    @Inject(JobMaker) private readonly maker: JobMaker,
    @Inject(LiveEngines) private readonly engines: LiveEngines,
    @Inject(LivePlaces) private readonly places: LivePlaces,
  ) {}

  /** @param rawBody as it came: what the Idempotency-Key stands for */
  async create(request: CreationRequest, body: NewLive, rawBody: unknown): Promise<CreatedLive> {
    const { accepted, replayed } = await this.creation.once(request, rawBody, async ({ jobId }, claim) => {
      const isRepeated = claim?.takenOver ?? false;
      // A session that an earlier attempt may have created was admitted then.
      if (!isRepeated) await this.admission.admitUrl(request);
      await this.engines.require(body);
      return this.make(request, jobId, body, isRepeated);
    });
    return { id: accepted.job_id, replayed };
  }

  /** The session first: without its job the upkeep removes it, but a job without its session would never end. */
  private async make(request: CreationRequest, jobId: string, body: NewLive, isRepeated: boolean): Promise<AcceptedJob> {
    const { audio: _audio, partials: _partials, endpointing: _endpointing, store_audio: _store, final_pass: _pass, ...options } = body;
    const order = await this.requests.of(request, jobId, { source: { $case: 'live', value: liveSource(body) }, options });
    await this.places.open(sessionOf(request, jobId, body, order.options), { isRepeated });
    try {
      return acceptedJob(await this.maker.make(order, request.requestId));
    } catch (error) {
      if (!isRepeated && !isUncertain(error)) await this.places.close(jobId);
      throw error;
    }
  }
}

const sessionOf = ({ accountId, keyId, credentialId, projectId }: CreationRequest, id: string, body: NewLive, options: common.JobOptions | undefined): OpenedSession => ({
  id,
  accountId,
  keyId,
  credentialId,
  ...(projectId !== undefined && { projectId }),
  audio: audioOf(body.audio),
  partials: body.partials,
  endpointing: { silenceMs: body.endpointing.silence_ms, maxUtteranceMs: body.endpointing.max_utterance_ms },
  options: common.JobOptions.toJSON(options ?? common.JobOptions.fromPartial({})),
  storeAudio: body.store_audio,
  finalPass: body.final_pass,
});
