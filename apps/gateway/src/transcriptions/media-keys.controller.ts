import { Controller, Inject, Res } from '@nestjs/common';
import type { ingest, JobService } from '@parlance/contracts';
import { singleFlight, type Clock } from '@parlance/platform';
import { CLOCK, JOB_SERVICE } from '@parlance/runtime';
import type { FastifyReply } from 'fastify';
import type { InputOf } from '../http/request-input.js';
import { present } from '../http/schema.js';
import { Input, Serves } from '../http/serves.js';
import { timeText } from './job-json.js';
import { listMediaKeys } from './media-key-operations.js';

/** Milliseconds after which a rotation is known here. */
const FRESH_MS = 60_000;

/** The public keys that clients may encrypt recordings to. They are kept for a minute: requests without a key do not reach ingest. */
@Controller()
export class MediaKeysController {
  private data: object[] = [];
  private freshUntil = 0;
  private readonly refresh = singleFlight(() => this.read());

  constructor(
    @Inject(JOB_SERVICE) private readonly jobs: Pick<JobService, 'listMediaKeys'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Serves(listMediaKeys)
  async keys(@Input() _input: InputOf<typeof listMediaKeys>, @Res() reply: FastifyReply): Promise<void> {
    if (this.clock.now().getTime() >= this.freshUntil) await this.refresh();
    void reply.send({ data: this.data });
  }

  private async read(): Promise<void> {
    this.data = (await this.jobs.listMediaKeys({})).keys.map(keyJson);
    this.freshUntil = this.clock.now().getTime() + FRESH_MS;
  }
}

const keyJson = ({ id, recipient, createdAt, acceptedUntil }: ingest.MediaKey) => present({ id, recipient, created_at: timeText(createdAt), accepted_until: timeText(acceptedUntil) });
