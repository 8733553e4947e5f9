import { integer, type ConfigOf } from '@parlance/platform';
import { z } from 'zod';

/** Who may make an account, and the mail server of the codes. */
export const signupConfig = {
  SIGNUP: z
    .enum(['open', 'verified', 'closed'])
    .default('open')
    .describe('Who may sign up by POST /api/v1/signup: anybody (`open`), who proves to read mail at an address (`verified`), or nobody (`closed`; parlance-admin accounts create)'),
  SIGNUPS_PER_HOUR: integer(1, 100_000).default(20).describe('Sign-ups that one address (of IPv6: one /64) may ask for in an hour, over all replicas'),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: 'must be like smtp://user@host:587 or smtps://user@host' })
    .optional()
    .describe('Mail server of SIGNUP=verified: `smtp://user@host:587` (STARTTLS, needed where there is a user unless `?requireTLS=false`) or `smtps://user@host`'),
  SMTP_PASSWORD: z.string().optional().describe('Password of the user in SMTP_URL'),
  SMTP_FROM: z
    .string()
    .regex(/^[^\r\n]{1,200}@[^\r\n]{1,250}$/, 'must be an e-mail address, like Parlance <no-reply@example.org>')
    .optional()
    .describe('Sender of these mails, like `Parlance <no-reply@example.org>`'),
} as const;

export type SignupConfig = ConfigOf<typeof signupConfig>;

/** What is missing, a line each. */
export const signupProblems = ({ SIGNUP, SMTP_URL, SMTP_FROM }: SignupConfig): string[] =>
  SIGNUP !== 'verified' ? [] : [...(SMTP_URL === undefined ? ['SMTP_URL: is needed with SIGNUP=verified'] : []), ...(SMTP_FROM === undefined ? ['SMTP_FROM: is needed with SIGNUP=verified'] : [])];
