import type { FastifyReply } from 'fastify';

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:3rem auto;padding:0 1rem;color:#1b1f24;background:#fff}
code,pre{font:14px/1.5 ui-monospace,monospace;background:#f2f4f7;border-radius:4px}code{padding:.1em .3em}pre{padding:1rem;overflow-x:auto}pre code{padding:0}
@media (prefers-color-scheme:dark){body{color:#e6e8eb;background:#14171a}code,pre{background:#22272d}a{color:#8ab4f8}}`;

/** A page that needs nothing from elsewhere. `body` is HTML; the title is text. */
export const htmlPage = (title: string, body: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escapeHtml(title)}</title><link rel="icon" href="data:,"><style>${STYLE}</style></head>
<body>${body}</body></html>
`;

/** A page may load its own style, and nothing else. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Browsers give a page the devices that it names, and no other. */
const NO_DEVICES = 'microphone=(), camera=(), geolocation=()';

export function sendPage(reply: FastifyReply, html: string, policy = POLICY, permissions = NO_DEVICES): void {
  const headers = { 'content-security-policy': policy, 'permissions-policy': permissions, 'referrer-policy': 'no-referrer' };
  void reply.headers({ 'content-type': 'text/html; charset=utf-8', ...headers }).send(html);
}
