import { Controller, Inject, Res } from '@nestjs/common';
import type { Logger } from '@parlance/platform';
import { LOGGER, SERVICE_CONTEXT, type ServiceContext } from '@parlance/runtime';
import type { FastifyReply } from 'fastify';
import { publicOutcomes } from './public-outcomes.js';
import { PublicPage } from './public-page.js';

/** The endpoints that a load balancer calls before it sends requests. */
@Controller()
export class ProbesController {
  constructor(
    @Inject(SERVICE_CONTEXT) private readonly context: ServiceContext,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  @PublicPage('/health/live')
  live(@Res() reply: FastifyReply): void {
    void reply.header('cache-control', 'no-store').send({ status: 'ok' });
  }

  /** Readiness: an orchestrator sends requests to this process when it is ready. */
  @PublicPage('/health/ready')
  async ready(@Res() reply: FastifyReply): Promise<void> {
    const report = await this.context.health();
    const { status, checks } = report;
    if (status !== 'ok') this.log.warn({ checks }, 'not ready');
    void reply
      .status(status === 'ok' ? 200 : 503)
      .header('cache-control', 'no-store')
      .send(this.context.hasHealthServer ? { status } : publicOutcomes(report));
  }
}
