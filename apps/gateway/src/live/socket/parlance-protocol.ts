import { clientMessage } from '@parlance/contracts';
import { invalid } from './client-messages.js';
import { closeCodeOf, errorMessage } from './close-codes.js';
import type { LiveProtocol } from './live-protocol.js';

/** The protocol of this server. */
export const parlanceProtocol: LiveProtocol = {
  canResume: true,
  write: (message) => [JSON.stringify(message)],
  read(json) {
    const { data, error } = clientMessage.safeParse(json);
    if (data) return data;
    const [issue] = error.issues;
    throw invalid(issue ? `${issue.path.join('.')}: ${issue.message}`.replace(/^: /, '') : 'It is not known.');
  },
  onAudio: () => undefined,
  closing: (error) => ({ code: closeCodeOf(error), reason: errorMessage(error, '').code }),
};
