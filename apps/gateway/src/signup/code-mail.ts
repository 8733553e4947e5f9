import type { Mail } from './mailer.js';
import { CODE_MINUTES } from './pending-signups.js';

/** Nothing in it is the asker's own: it is sent to whomever they name. */
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
      'Somebody, most likely you, signed up with this address. If it was not you, there is nothing to do: without the code nobody gets in.',
      '',
    ].join('\n'),
  };
}
