import type { webhook } from '@parlance/contracts';
import { present } from '../http/schema.js';
import { timeText } from '../transcriptions/job-json.js';

export const secretJson = ({ secret, previousExpiresAt, shared }: webhook.GetReceiverSecretResponse) =>
  present({ secret, previous_expires_at: timeText(previousExpiresAt), shared });
