import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Authenticator, credentialOf, type Caller } from '../../../keys/authenticator.js';
import { LiveCreation } from '../../../live/live-creation.js';
import { creationRequest } from '../../../transcriptions/creation.js';
import { newLiveSchema, type NewLive } from '../../../live/live-schema.js';
import { LiveSessions } from '../../../live/session/live-sessions.js';
import type { LiveProtocol } from '../../../live/socket/live-protocol.js';
import { parlanceProtocol } from '../../../live/socket/parlance-protocol.js';
import { LiveSockets } from '../../../live/socket/live-sockets.js';
import type { SessionSocket } from '../../../live/socket/session-socket.js';
import { CompatModels } from '../../compat-models.js';
import { languageOf, vocabularyOf } from '../../request-texts.js';
import { liveAudioOf, type RealtimeSettings } from './realtime-settings.js';

/** A client of OpenAI's protocol cannot connect to its session again. */
const WITHOUT_RESUMPTION: LiveProtocol = { ...parlanceProtocol, canResume: false };

/** Opens live sessions with the settings of clients of OpenAI's realtime protocol. */
@Injectable()
export class RealtimeSessions {
  constructor(
    @Inject(CompatModels) private readonly models: CompatModels,
    @Inject(LiveCreation) private readonly creation: LiveCreation,
    @Inject(LiveSessions) private readonly sessions: Pick<LiveSessions, 'issueToken'>,
    @Inject(LiveSockets) private readonly sockets: Pick<LiveSockets, 'accept'>,
    @Inject(Authenticator) private readonly authenticator: Pick<Authenticator, 'refusalOf'>,
  ) {}

  /** Checks what can be checked before there is audio. @throws AppError invalid_request */
  async check(settings: RealtimeSettings): Promise<void> {
    await this.bodyOf(settings, '');
  }

  /** Creates the live session, whose job it is, and connects the socket to it. @returns its id. @throws AppError of admission; unauthenticated when the key was revoked since the client connected */
  async open(caller: Caller, http: FastifyRequest, { settings, sessionId, socket }: { settings: RealtimeSettings; sessionId: string; socket: SessionSocket }): Promise<string> {
    const refusal = await this.authenticator.refusalOf(credentialOf(caller));
    if (refusal) throw refusal;
    const body = await this.bodyOf(settings, sessionId);
    const { id } = await this.creation.create(creationRequest(caller, http.id), body, body);
    const { token } = await this.sessions.issueToken(caller, id);
    this.sockets.accept(socket, { id, after: 0, request: { headers: {}, query: { token }, ip: http.ip, socket: http.socket } }, http.id, WITHOUT_RESUMPTION);
    return id;
  }

  private async bodyOf(settings: RealtimeSettings, sessionId: string): Promise<NewLive> {
    const { model, language, languages, prompt, keywords } = settings.transcription;
    return newLiveSchema.parse({
      ...liveAudioOf(settings),
      model: await this.models.resolve('openai', model || undefined),
      language: languageOf(language || languages?.[0] || undefined),
      vocabulary: vocabularyOf(prompt ?? undefined, keywords ?? []),
      diarization: false,
      summary: false,
      highlights: false,
      metadata: { source: 'openai-realtime', session: sessionId },
    });
  }
}
