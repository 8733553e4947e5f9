/** Hosts where dots in the local part make no difference. */
const DOTLESS_HOSTS = new Set(['gmail.com', 'googlemail.com']);

/**
 * Normalizes an address to its mailbox, for counting only: without case, without a `+tag` (RFC 5233), at Gmail without dots.
 * Mail is never sent to the result, since a host may use such spellings for two mailboxes.
 */
export function mailboxOf(email: string): string {
  const lower = email.toLowerCase();
  const at = lower.lastIndexOf('@');
  const host = lower.slice(at + 1);
  const [untagged = ''] = lower.slice(0, at).split('+');
  const local = untagged === '' ? lower.slice(0, at) : untagged;
  if (!DOTLESS_HOSTS.has(host)) return `${local}@${host}`;
  return `${local.replaceAll('.', '')}@gmail.com`;
}
