import { integer, type ConfigOf } from '@parlance/platform';
import { z } from 'zod';

/** One line with a name before the last @ and one after it. */
const isSender = (text: string): boolean => !/[\r\n]/.test(text) && text.lastIndexOf('@') > 0 && !text.endsWith('@');

/** The access to sign-up, and the mail server of the codes. */
export const signupConfig = {
  SIGNUP: z
    .enum(['open', 'verified', 'closed'])
    .default('open')
    .describe('Access to POST /api/v1/signup: `open` (anybody may sign up), `verified` (a code sent by e-mail is required), or `closed` (only parlance-admin accounts create)'),
  SIGNUPS_PER_HOUR: integer(1, 100_000)
    .default(20)
    .describe('Sign-ups per hour that one address may request, over all replicas: one IPv4 address or IPv6 /64; an IPv4 /24 or IPv6 /56 may request four times as many, an IPv6 /48 sixteen times as many. Refused requests count'),
  SIGNUPS_PER_HOUR_TOTAL: integer(1, 1_000_000).default(500).describe('Sign-ups per hour from all addresses together, over all replicas'),
  SIGNUP_UNIQUE: z
    .enum(['mailbox', 'address'])
    .default('mailbox')
    .describe('What an account belongs to with SIGNUP=verified: a mailbox (spellings that differ by a `+tag`, at Gmail also by dots, are the same mailbox), or each spelling of an address'),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: 'must be like smtp://user@host:587 or smtps://user@host' })
    .optional()
    .describe('Mail server for SIGNUP=verified: `smtp://user@host:587` (STARTTLS, required with a user unless `?requireTLS=false`) or `smtps://user@host`'),
  SMTP_PASSWORD: z.string().optional().describe('Password of the user in SMTP_URL'),
  SMTP_FROM: z
    .string()
    .max(450)
    .refine(isSender, 'must be an e-mail address, like Parlance <no-reply@example.org>')
    .optional()
    .describe('Sender of these mails, like `Parlance <no-reply@example.org>`'),
} as const;

export type SignupConfig = ConfigOf<typeof signupConfig>;

/** The missing settings, one line each. */
export const signupProblems = ({ SIGNUP, SMTP_URL, SMTP_FROM }: SignupConfig): string[] =>
  SIGNUP !== 'verified' ? [] : [...(SMTP_URL === undefined ? ['SMTP_URL: required with SIGNUP=verified'] : []), ...(SMTP_FROM === undefined ? ['SMTP_FROM: required with SIGNUP=verified'] : [])];
