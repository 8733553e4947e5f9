import { Inject, Injectable } from '@nestjs/common';
import { PATIENT_RETRY, type Consumer, type EventBus } from '@parlance/event-bus';
import { EVENT_BUS } from '@parlance/runtime';
import type { TaskWorker } from '@parlance/task-queue';
import { ErasureStore } from './jobs/erasure/erasure-store.js';
import { JobEraser } from './jobs/erasure/job-eraser.js';
import { logErasures } from './jobs/erasure/log-erasures.js';
import { JobLifecycle } from './jobs/job-lifecycle.js';
import { JobRequests } from './jobs/job-requests.js';
import { StageReports } from './jobs/stage-reports.js';
import { IngestWorkers } from './media/intake/ingest-workers.js';
import { SealingWorker } from './sealing/sealing-worker.js';

const OWN = { group: 'ingest', retry: PATIENT_RETRY } as const;

/** Job events of one account that are handled together read its schedule once. */
const MAX_JOB_EVENTS_AT_ONCE = 32;

/** The events and tasks that the service works on. */
@Injectable()
export class IngestConsumers {
  constructor(
    @Inject(EVENT_BUS) private readonly bus: Pick<EventBus, 'erase'>,
    @Inject(JobLifecycle) private readonly lifecycle: JobLifecycle,
    @Inject(JobEraser) private readonly eraser: JobEraser,
    @Inject(JobRequests) private readonly requests: JobRequests,
    @Inject(StageReports) private readonly reports: StageReports,
    @Inject(ErasureStore) private readonly erasures: ErasureStore,
    @Inject(IngestWorkers) private readonly ingestWorkers: IngestWorkers,
    @Inject(SealingWorker) private readonly sealing: SealingWorker,
  ) {}

  consumers(): Consumer[] {
    return [this.jobs(), logErasures(this.bus, PATIENT_RETRY), this.ingestRequests(), this.chunkResults(), this.transcripts(), this.stages(), this.webhooks(), this.erasureReports()];
  }

  workers(): TaskWorker[] {
    return [...(this.ingestWorkers.workers() as TaskWorker[]), this.sealing.worker() as TaskWorker, this.eraser.worker()];
  }

  private jobs(): Consumer {
    return {
      ...OWN,
      topic: 'parlance.jobs.v1',
      concurrency: MAX_JOB_EVENTS_AT_ONCE,
      handlers: {
        'job.created': ({ event }) => this.lifecycle.created(event.data),
        'job.progressed': ({ event }) => this.lifecycle.progressed(event.data),
        'job.completed': ({ event }) => this.lifecycle.ended(event.data),
        'job.failed': ({ event }) => this.lifecycle.ended(event.data),
        'job.canceled': ({ event }) => this.lifecycle.ended(event.data),
        'job.add_on_completed': ({ event }) => this.lifecycle.addOnCompleted(event.data),
        'job.content_erased': ({ event }) => this.eraser.eraseContent(event.data),
        'job.deleted': ({ event }) => this.eraser.erase(event.data),
      },
    };
  }

  private ingestRequests(): Consumer {
    return { ...OWN, topic: 'parlance.ingest-tasks.v1', handlers: { 'ingest.requested': ({ event }) => this.lifecycle.ingestRequested(event.data) } };
  }

  private chunkResults(): Consumer {
    return {
      ...OWN,
      topic: 'parlance.chunk-results.v1',
      handlers: {
        'chunk.transcribed': ({ event }) => this.reports.chunkTranscribed(event.data),
        'chunk.failed': ({ event }) => this.reports.chunkFailed(event.data),
      },
    };
  }

  private transcripts(): Consumer {
    return {
      ...OWN,
      topic: 'parlance.transcripts.v1',
      handlers: {
        'transcript.completed': ({ event }) => this.reports.transcriptCompleted(event.data),
        'transcript.edited': ({ event }) => this.reports.transcriptEdited(event.data),
      },
    };
  }

  private stages(): Consumer {
    return {
      ...OWN,
      topic: 'parlance.stages.v1',
      handlers: {
        'stage.started': ({ event }) => this.reports.stageChanged(event),
        'stage.finished': ({ event }) => this.reports.stageChanged(event),
        'summary.finished': ({ event }) => this.reports.summaryFinished(event.data),
      },
    };
  }

  private webhooks(): Consumer {
    return { ...OWN, topic: 'parlance.webhooks.v1', handlers: { 'webhook.settled': ({ event }) => this.requests.webhookSettled(event.data) } };
  }

  private erasureReports(): Consumer {
    return {
      ...OWN,
      topic: 'parlance.erasures.v1',
      handlers: {
        'erasure.reported': ({ event }) => {
          const { erasureId, what, where, count, erasedAt } = event.data;
          return this.erasures.report(erasureId, { what, where, when: erasedAt?.toISOString() ?? event.time, count });
        },
      },
    };
  }
}
