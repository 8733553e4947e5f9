export interface Mail {
  to: string;
  subject: string;
  text: string;
}

/** Brings mail to somebody's mail server. */
export interface Mailer {
  /** @throws AppError unavailable; invalid when the address is refused for good */
  send(mail: Mail): Promise<void>;
}
