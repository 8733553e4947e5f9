/**
 * The reason why no HTTP answer came, as far as the caller who chose the address may know it. `no_answer` covers refused,
 * reset, unreachable, filtered and silent ports, and ports with another protocol: they are not distinguished, so that Parlance
 * cannot be used as a port scanner.
 */
export type NoAnswerReason = 'unknown_host' | 'untrusted_certificate' | 'no_answer';

/** @param error what `Egress.request` or `Egress.exchange` threw before there was the head of an answer. */
export function noAnswerReason(error: unknown): NoAnswerReason {
  const code = errorCode(error);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'unknown_host';
  return UNTRUSTED_CERTIFICATE.test(code) ? 'untrusted_certificate' : 'no_answer';
}

/** The codes of X.509 verification (OpenSSL) and of Node's host name check. Failures of the protocol (`ERR_SSL_…`) are not among them. */
const UNTRUSTED_CERTIFICATE = /^(CERT_|ERR_TLS_CERT_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_(GET|VERIFY|DECRYPT|DECODE)_|INVALID_(CA|PURPOSE)|HOSTNAME_MISMATCH)/;

/** The system's or undici's code of a failure, for the operator's log: no address, no name. Of several attempts the first one's. */
export function errorCode(error: unknown): string {
  const { name, code, errors, cause } = (error ?? {}) as { name?: unknown; code?: unknown; errors?: { code?: unknown }[]; cause?: unknown };
  // The code of a DOMException is a legacy number.
  if (typeof code === 'string') return code;
  if (errors?.[0] !== undefined) return errorCode(errors[0]);
  return cause === undefined ? String(name ?? '') : errorCode(cause);
}
