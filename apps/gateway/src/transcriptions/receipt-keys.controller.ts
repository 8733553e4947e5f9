import { Controller, Inject, Res } from '@nestjs/common';
import type { JobService } from '@parlance/contracts';
import { singleFlight, type Clock } from '@parlance/platform';
import { CLOCK, JOB_SERVICE } from '@parlance/runtime';
import type { FastifyReply } from 'fastify';
import { AuditAnchors } from '../audit/audit-anchors.js';
import { PublicPage } from '../http/public-page.js';

const FRESH_SECONDS = 3600;

/** The public keys that verify receipts and anchors of the audit log, as a JSON Web Key Set (RFC 7517). They are kept for an hour: requests without a key do not reach ingest. */
@Controller()
export class ReceiptKeysController {
  private keySet: { keys: unknown[] } | undefined;
  private freshUntil = 0;
  private readonly refresh = singleFlight(() => this.read());

  constructor(
    @Inject(JOB_SERVICE) private readonly jobs: Pick<JobService, 'listReceiptKeys'>,
    @Inject(AuditAnchors) private readonly anchors: Pick<AuditAnchors, 'publicKeys'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @PublicPage('/.well-known/jwks.json')
  async keys(@Res() reply: FastifyReply): Promise<void> {
    if (this.clock.now().getTime() >= this.freshUntil) await this.refresh();
    void reply.headers({ 'content-type': 'application/jwk-set+json', 'cache-control': `public, max-age=${FRESH_SECONDS}`, 'access-control-allow-origin': '*' }).send(Buffer.from(JSON.stringify(this.keySet)));
  }

  private async read(): Promise<void> {
    const [{ keys }, auditKeys] = await Promise.all([this.jobs.listReceiptKeys({}), this.anchors.publicKeys()]);
    this.keySet = { keys: [...keys.map(({ jwk }) => JSON.parse(jwk) as unknown), ...auditKeys] };
    this.freshUntil = this.clock.now().getTime() + FRESH_SECONDS * 1000;
  }
}
