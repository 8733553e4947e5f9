import { Controller, Inject, Res } from '@nestjs/common';
import type { HealthReport, Logger, Metrics } from '@parlance/platform';
import type { FastifyReply } from 'fastify';
import { LOG, METRICS, PROCESS_HEALTH } from '../tokens.js';
import { PublicPage } from './public-page.js';

/** Health and metrics, for orchestrators and Prometheus. */
@Controller()
export class ProbesController {
  constructor(
    @Inject(PROCESS_HEALTH) private readonly health: () => Promise<HealthReport>,
    @Inject(METRICS) private readonly metrics: Metrics,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  @PublicPage('/health/live')
  live(@Res() reply: FastifyReply): void {
    void reply.header('cache-control', 'no-store').send({ status: 'ok' });
  }

  /** Which part is unwell, but not why: reasons can name hosts, and go to the log. */
  @PublicPage('/health/ready')
  async ready(@Res() reply: FastifyReply): Promise<void> {
    const { status, checks } = await this.health();
    if (status !== 'ok') this.log.warn({ checks }, 'not ready');
    const outcomes = Object.entries(checks).map(([name, outcome]) => [name, outcome === 'ok' ? 'ok' : 'unavailable']);
    void reply.status(status === 'ok' ? 200 : 503).header('cache-control', 'no-store').send({ status, checks: Object.fromEntries(outcomes) });
  }

  @PublicPage('/metrics')
  async prometheus(@Res() reply: FastifyReply): Promise<void> {
    void reply.type(this.metrics.contentType).send(await this.metrics.metrics());
  }
}
