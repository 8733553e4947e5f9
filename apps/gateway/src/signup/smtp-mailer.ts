import { AppError, type Logger } from '@parlance/platform';
import nodemailer, { type Transporter } from 'nodemailer';
import type { Mail, Mailer } from './mailer.js';

export interface SmtpSettings {
  url: string;
  password?: string | undefined;
  from: string;
}

/** Milliseconds; the caller waits for the connection. */
const CONNECT_MS = 10_000;
const SILENCE_MS = 15_000;
const RETRY_AFTER_SECONDS = 30;

/** SMTP (RFC 5321) by nodemailer. */
export class SmtpMailer implements Mailer {
  private readonly transport: Transporter;

  constructor(
    private readonly settings: SmtpSettings,
    private readonly log: Logger,
  ) {
    const url = new URL(settings.url);
    const { username, password, protocol, searchParams } = url;
    const pass = settings.password ?? decodeURIComponent(password);
    // nodemailer takes the URL's, whatever else is given.
    Object.assign(url, { username: '', password: '' });
    this.transport = nodemailer.createTransport({
      url: url.href,
      ...(username !== '' && { auth: { user: decodeURIComponent(username), pass } }),
      // A password does not travel in the clear because a server, or somebody between, does not offer TLS.
      ...(username !== '' && protocol === 'smtp:' && !searchParams.has('requireTLS') && { requireTLS: true }),
      connectionTimeout: CONNECT_MS,
      greetingTimeout: CONNECT_MS,
      socketTimeout: SILENCE_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }

  async send({ to, subject, text }: Mail): Promise<void> {
    try {
      await this.transport.sendMail({ from: this.settings.from, to: { name: '', address: to }, subject, text, headers: { 'Auto-Submitted': 'auto-generated' } });
    } catch (error) {
      throw this.failure(error as Error & { code?: string; responseCode?: number });
    }
  }

  /** The server's words are the operator's business: they can hold names of hosts. */
  private failure(error: Error & { code?: string; responseCode?: number }): AppError {
    const { code, responseCode = 0 } = error;
    this.log.warn({ smtp_code: code, smtp_answer: responseCode, reason: code === 'EENVELOPE' ? 'mail recipient refused' : error.message }, 'mail could not be sent');
    if (code === 'EENVELOPE' && responseCode >= 500) {
      const fields = [{ pointer: '/email', code: 'invalid_value', detail: 'The mail server does not accept mail for this address.' }];
      return new AppError({ kind: 'invalid', code: 'invalid_request', message: 'The mail server does not accept mail for this address.', fields });
    }
    return new AppError({ kind: 'unavailable', code: 'service_unavailable', message: 'The mail could not be sent. Try again later.', retryAfter: RETRY_AFTER_SECONDS, cause: error });
  }
}
