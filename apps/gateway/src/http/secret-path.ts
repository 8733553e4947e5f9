/** The path below which a link is opened; its secret follows. */
export const LINK_PATH = '/api/v1/links';

/** The first part of a decoded path that may be a secret: the one behind the path of links, and each with the form of a key or token or encoded twice. */
const SECRET_PART = new RegExp(`(?<=${LINK_PATH})/|/[^/]*(?:(?<![0-9a-z])pl[ltv]?_|%)`, 'i');

/** The path as problems may quote it: without its first part that may be a secret and all that follows, however it is encoded and whether or not a route has it. */
export function withoutSecret(path: string): string {
  const plain = path.replace(/%[0-9a-f]{2}/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
  const at = plain.search(SECRET_PART);
  return at === -1 ? path : plain.slice(0, at);
}
