/** The path below which a link is opened; its secret follows. */
export const LINK_PATH = '/api/v1/links';

/** The path as problems may quote it: nothing that follows the path of links, where their secrets are, however it is encoded and whether or not a route has it. */
export function withoutSecret(path: string): string {
  const plain = path.replace(/%[0-9a-f]{2}/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
  const at = plain.indexOf(`${LINK_PATH}/`);
  return at === -1 ? path : plain.slice(0, at + LINK_PATH.length);
}
