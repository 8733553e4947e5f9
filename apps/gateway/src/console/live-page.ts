import { readFileSync } from 'node:fs';
import { HOST } from './console-page.js';

const fileBeside = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');

/** The scripts of the page, by the name that they are loaded by. */
export const LIVE_SCRIPTS: ReadonlyMap<string, string> = new Map(['live.js', 'live-socket.js', 'live-microphone.js', 'live-samples.js'].map((name) => [name, fileBeside(name)]));

/** The microphone is for this page alone: neither for other pages nor for frames of other origins. */
export const LIVE_PERMISSIONS = 'microphone=(self)';

/**
 * The page may load its own scripts and style, call the API, and open sockets to the host it came from, which not every browser
 * counts as `'self'`: https://www.w3.org/TR/CSP3/#match-url-to-source-expression
 */
export function livePolicy(host: string): string {
  const sockets = HOST.test(host) ? ` ws://${host} wss://${host}` : '';
  return `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'${sockets}; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}

/** Listens to the microphone and shows what is being said. */
export const LIVE_PAGE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Parlance: live</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/console.css"></head>
<body><h1>Live</h1>
<p>Shows what is being said into the microphone, and keeps it as a transcription. <a href="/">All recordings</a></p>
<form id="session"><label for="key">API key</label><input id="key" type="password" autocomplete="off" required>
<button id="start">Listen</button><button id="stop" type="button" disabled>End</button></form>
<p id="message" role="alert"></p>
<p id="state" role="status"></p>
<div id="transcript" aria-live="polite"></div>
<p id="partial" class="quiet"></p>
<p id="result" hidden>Transcription <a id="job"></a>: <span id="status"></span></p>
<script type="module" src="/console/live.js"></script></body></html>
`;
