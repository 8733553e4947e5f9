import { Readable } from 'node:stream';
import { Controller, Inject, Req, Res } from '@nestjs/common';
import { AppError } from '@parlance/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptWeights } from '../../http/accept.js';
import { OpenStreams } from '../../http/open-streams.js';
import type { InputOf } from '../../http/request-input.js';
import { Input, Serves } from '../../http/serves.js';
import type { Caller } from '../../keys/authenticator.js';
import { CurrentCaller } from '../../keys/current-caller.js';
import { streamLive } from '../live-operations.js';
import { LiveEvents } from '../session/live-events.js';
import { LiveFeed } from '../session/live-feed.js';
import { LiveSessions } from '../session/live-sessions.js';
import { LiveEventStream } from './live-event-stream.js';

/** Lets others than the client follow a session. */
@Controller()
export class LiveEventsController {
  constructor(
    @Inject(LiveSessions) private readonly sessions: LiveSessions,
    @Inject(LiveEvents) private readonly events: LiveEvents,
    @Inject(LiveFeed) private readonly feed: LiveFeed,
    @Inject(OpenStreams) private readonly streams: OpenStreams,
  ) {}

  @Serves(streamLive)
  async stream(@Input() { params, query }: InputOf<typeof streamLive>, @CurrentCaller() { accountId }: Caller, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    if (acceptWeights(request.headers.accept, ['text/event-stream'])[0] === 0) throw notAcceptable();
    const { id } = await this.sessions.get(accountId, params.job_id);
    const after = lastSequence(request) ?? query.after ?? 0;
    const last = await this.events.last(id);
    if (last?.message.type === 'finished' && after >= last.seq) return void reply.status(204).send();
    const stream = new LiveEventStream({ sessions: this.sessions, events: this.events, feed: this.feed }, id, after);
    const events = request.method === 'HEAD' ? [] : stream.events(await this.streams.hold(reply));
    void reply
      .headers({ 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
      .send(Readable.from(events));
  }
}

const notAcceptable = () => new AppError({ kind: 'invalid', code: 'not_acceptable', message: 'This endpoint returns text/event-stream.' });

/** From Last-Event-ID; one that is no sequence means from the start. */
function lastSequence({ headers }: FastifyRequest): number | undefined {
  const id = headers['last-event-id'];
  if (typeof id !== 'string') return undefined;
  return /^\d{1,9}$/.test(id) ? Number(id) : 0;
}
