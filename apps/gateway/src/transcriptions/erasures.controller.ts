import { Controller, Inject, Res } from '@nestjs/common';
import type { ingest, JobService } from '@parlance/contracts';
import { JOB_SERVICE } from '@parlance/runtime';
import type { FastifyReply } from 'fastify';
import type { InputOf } from '../http/request-input.js';
import { present } from '../http/schema.js';
import { Input, Serves } from '../http/serves.js';
import type { Caller } from '../keys/authenticator.js';
import { CurrentCaller } from '../keys/current-caller.js';
import { requireInProject } from '../keys/project-boundary.js';
import { timeText } from './job-json.js';
import { getErasure, listErasures } from './transcription-operations.js';

/** The receipts of erased jobs. */
@Controller()
export class ErasuresController {
  constructor(@Inject(JOB_SERVICE) private readonly jobs: JobService) {}

  @Serves(listErasures)
  async erasures(@Input() { query }: InputOf<typeof listErasures>, @CurrentCaller() { accountId, projectId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    const { erasures, nextCursor } = await this.jobs.listErasures({ accountId, projectId, ...query });
    void reply.send({ data: erasures.map(erasureJson), next_cursor: nextCursor ?? null });
  }

  @Serves(getErasure)
  async erasure(@Input() { params }: InputOf<typeof getErasure>, @CurrentCaller() { accountId, projectId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    const ref = { accountId, erasureId: params.erasure_id };
    const { erasure } = await this.jobs.getErasure(ref);
    void reply.send(erasureJson(requireInProject({ projectId }, erasure, 'The erasure')));
  }
}

const erasureJson = ({ erasureId, jobId, status, requestedAt, completedAt, items, jws }: ingest.Erasure) =>
  present({
    erasure_id: erasureId,
    job_id: jobId,
    status,
    requested_at: timeText(requestedAt),
    completed_at: timeText(completedAt),
    items: items.map(({ what, where, when, count }) => ({ what, where, when: timeText(when), count })),
    jws,
  });
