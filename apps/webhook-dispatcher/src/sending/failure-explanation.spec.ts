import { describe, expect, it } from '@jest/globals';
import { AppError } from '@parlance/platform';
import { explainFailure } from './webhook-sender.js';

const coded = (code: string) => Object.assign(new Error('connect 10.1.2.3:443'), { code });

describe('the explanation of a failed try', () => {
  it.each(['ECONNREFUSED', 'UND_ERR_SOCKET', 'ENOTFOUND', 'HPE_INVALID_CONSTANT', 'CERT_HAS_EXPIRED', 'SOMETHING_NEW'])(
    'never shows an address (%s)',
    (code) => {
      const { message, final } = explainFailure(coded(code), 15_000);
      expect(message).not.toContain('10.1.2.3');
      expect(message).not.toBe('');
      expect(final).toBe(false);
    },
  );

  it('is final for a forbidden address, also when it comes as the cause of another error', () => {
    const forbidden = new AppError({ kind: 'invalid', code: 'address_forbidden', message: 'The URL leads to an address that is not public.' });
    expect(explainFailure(new TypeError('fetch failed', { cause: forbidden }), 15_000)).toEqual({
      message: 'address_forbidden: The URL leads to an address that is not public.',
      final: true,
    });
  });

  it('says how long was waited, and the same of closed, resetting, filtered and silent ports', () => {
    const failures = [new DOMException('aborted', 'TimeoutError'), ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'EHOSTUNREACH', 'ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'HPE_INVALID_CONSTANT', 'ERR_SSL_WRONG_VERSION_NUMBER'].map(coded)];
    const explanation = 'No HTTP answer within 15 s: the receiver is unreachable, refuses or drops connections, or is too slow.';
    expect(new Set(failures.map((failure) => explainFailure(failure, 15_000).message))).toEqual(new Set([explanation]));
  });
});
