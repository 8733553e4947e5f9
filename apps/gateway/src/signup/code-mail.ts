import type { Mail } from './mailer.js';
import { CODE_MINUTES } from './pending-signups.js';

/** The mail contains no text of the requester, because it is sent to any address that the requester names. */
export function codeMail(to: string, code: string): Mail {
  const shown = `${code.slice(0, 4)} ${code.slice(4)}`;
  return {
    to,
    subject: `${shown} is your code for Parlance`,
    text: [
      `Your code is ${shown}`,
      '',
      `It works once, within ${CODE_MINUTES} minutes.`,
      '',
      'Somebody, most likely you, signed up with this address. If it was not you, no action is needed: the code is required to create the account.',
      '',
    ].join('\n'),
  };
}
