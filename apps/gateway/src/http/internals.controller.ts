import { Controller, Inject, Module, Res } from '@nestjs/common';
import { singleFlight, type Logger, type Metrics } from '@parlance/platform';
import { LOGGER, METRICS, SERVICE_CONTEXT, type ServiceContext } from '@parlance/runtime';
import type { FastifyReply } from 'fastify';
import { publicOutcomes } from './public-outcomes.js';
import { PublicPage } from './public-page.js';

/** Metrics and the state of servers, on the public port of a process that has no port of its own for them (HEALTH_PORT). */
@Controller()
class InternalsController {
  /** Requests at the same time share one rendering: each takes a few milliseconds of the event loop. */
  private readonly rendered = singleFlight(async () => Buffer.from(await this.metrics.metrics()));

  constructor(
    @Inject(SERVICE_CONTEXT) private readonly context: ServiceContext,
    @Inject(METRICS) private readonly metrics: Metrics,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** The state of everything that the process uses: an outage of a server is not made one of the API. */
  @PublicPage('/health/dependencies')
  async dependenciesState(@Res() reply: FastifyReply): Promise<void> {
    const report = await this.context.dependencies();
    if (report.status !== 'ok') this.log.warn({ checks: report.checks }, 'dependency check failed');
    void reply
      .status(report.status === 'ok' ? 200 : 503)
      .header('cache-control', 'no-store')
      .send(publicOutcomes(report));
  }

  @PublicPage('/metrics')
  async prometheus(@Res() reply: FastifyReply): Promise<void> {
    void reply.type(this.metrics.contentType).send(await this.rendered());
  }
}

/** Imported where the process has no port of its own for metrics and the state of servers. */
@Module({ controllers: [InternalsController] })
export class InternalsModule {}
