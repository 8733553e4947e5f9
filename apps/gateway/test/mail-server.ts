import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { eventually } from '@parlance/testing';

const MAIL_USER = { user: 'parlance', password: 'swordfish' };
/** No mail is taken for it. */
export const NOBODY = 'nobody@example.org';

/** A real SMTP server that wants to know who sends, and keeps what it gets. */
export class MailServer implements AsyncDisposable {
  private constructor(
    private readonly server: SMTPServer,
    readonly port: number,
    /** Whole messages, by recipient. */
    readonly received: readonly { to: string; message: string }[],
  ) {}

  static async start(): Promise<MailServer> {
    const received: { to: string; message: string }[] = [];
    const keep = async (stream: Readable, recipients: readonly string[]) => {
      const message = await text(stream);
      received.push(...recipients.map((to) => ({ to, message })));
    };
    const server = new SMTPServer({
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _session, done) =>
        username === MAIL_USER.user && password === MAIL_USER.password ? done(null, { user: username }) : done(new Error('535 wrong password')),
      onRcptTo: ({ address }, _session, done) => done(address === NOBODY ? Object.assign(new Error('no such mailbox'), { responseCode: 550 }) : null),
      onData: (stream, { envelope }, done) => {
        stream.on('end', () => done());
        void keep(stream, envelope.rcptTo.map(({ address }) => address));
      },
    });
    server.on('error', () => {});
    server.listen(0, '127.0.0.1');
    await once(server.server, 'listening');
    return new MailServer(server, (server.server.address() as { port: number }).port, received);
  }

  get settings(): Record<string, string> {
    return {
      SIGNUP: 'verified',
      SMTP_URL: `smtp://${MAIL_USER.user}@127.0.0.1:${this.port}?requireTLS=false`,
      SMTP_PASSWORD: MAIL_USER.password,
      SMTP_FROM: 'Parlance <no-reply@example.org>',
    };
  }

  /** Of the nth mail to the address. */
  async codeTo(address: string, nth = 1): Promise<string> {
    const { message } = await eventually(`mail ${nth} to ${address}`, () => this.received.filter(({ to }) => to === address)[nth - 1]);
    const [, code] = /^Your code is (\d{4} \d{4})\r?$/m.exec(message) ?? [];
    if (code === undefined) throw new Error(`no code in ${message}`);
    return code;
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
