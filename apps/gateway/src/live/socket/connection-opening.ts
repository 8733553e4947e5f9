import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '@parlance/platform';
import { socketEntry } from '../../audit/audit-entry.js';
import { AuditLog } from '../../audit/audit-log.js';
import { LastingLog } from '../recognition/lasting-log.js';
import { LiveModes } from '../recognition/live-modes.js';
import type { LiveSession } from '../session/live-session.js';
import { CONNECTION_SERVICES, type ConnectionServices } from './connection-services.js';
import { LiveConnection } from './live-connection.js';
import { LiveQuota } from './live-quota.js';
import type { MessageSender } from './message-sender.js';
import { SocketAdmission, type SocketRequest } from './socket-admission.js';
import type { SessionSocket } from './session-socket.js';

interface Listeners {
  /** The session is the client's: an older connection has it no more. */
  onTaken(session: LiveSession): Promise<void>;
  onClosed(): void;
}

/** Gives clients that are let in their session. */
@Injectable()
export class ConnectionOpening {
  constructor(
    @Inject(SocketAdmission) private readonly admission: Pick<SocketAdmission, 'admit'>,
    @Inject(LiveModes) private readonly modes: Pick<LiveModes, 'of'>,
    @Inject(LiveQuota) private readonly quota: Pick<LiveQuota, 'of'>,
    @Inject(AuditLog) private readonly audit: Pick<AuditLog, 'record'>,
    @Inject(CONNECTION_SERVICES) private readonly services: ConnectionServices,
  ) {}

  /** An older connection is left alone until nothing can keep this one from having the session. @throws AppError */
  async open(asked: SocketRequest, socket: SessionSocket, sender: MessageSender, { onTaken, onClosed }: Listeners): Promise<LiveConnection> {
    const { after } = asked;
    if (after === undefined) throw new AppError({ code: 'invalid_request', message: '?after: This must be a whole number.' });
    const admitted = await this.admission.admit(asked);
    const quota = await this.quota.of(admitted.session);
    const engine = await this.modes.of(admitted.session);
    await this.audit.record(socketEntry(admitted, asked.request, sender.requestId));
    const session = await this.services.sessions.takeOver(asked.id);
    await onTaken(session);
    const messages = await LastingLog.open(this.services.events, session);
    return new LiveConnection(this.services, socket, sender, { session, messages, engine, quota, after, credentialIds: admitted.credentialIds }, onClosed);
  }
}
