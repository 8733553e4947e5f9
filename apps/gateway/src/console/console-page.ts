import { readFileSync } from 'node:fs';
import { FORMAT_NAMES } from '@parlance/transcript';
import { escapeHtml } from '../docs/html-page.js';

const fileBeside = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');

export const CONSOLE_SCRIPT = fileBeside('console.js');
export const CONSOLE_STYLE = fileBeside('console.css');

/**
 * The console may load its own script and style, the API, and recordings that its user chose. Opening a job must not make the
 * browser call the job's `audio_url`, whose server would learn of each reader.
 */
export const CONSOLE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; media-src blob:; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** A name or address with a port; anything else does not belong into a command that somebody copies. */
export const HOST = /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i;

/** The start page: a small console, and where everything else is. @param host of the request, which is how its sender reaches this server */
export function consolePage(protocol: string, host: string): string {
  const url = escapeHtml(`${protocol}://${HOST.test(host) ? host : 'localhost'}`);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Parlance</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/console.css"></head>
<body><h1>Parlance</h1>
<p>Turns speech in audio and video files into searchable text. All of its functions are available through its REST API:
<a href="/docs">read and try it</a> · <a href="/openapi.json">OpenAPI 3.1</a> · <a href="/problems">error codes</a> · <a href="/health/ready">health</a></p>
<form id="enter"><label for="key">API key</label><input id="key" type="password" autocomplete="off" required><button>Enter</button></form>
<p id="message" role="alert"></p>
<h2>Transcribe</h2>
<form id="submit"><input id="file" type="file" accept="audio/*,video/*" aria-label="Recording"><input id="url" type="url" placeholder="or its URL, https://…" aria-label="URL of the recording"><button>Transcribe</button></form>
<p><a href="/live">Listen to the microphone</a> and read what is being said.</p>
<h2>Recordings</h2>
<ul id="jobs"></ul><button id="refresh" type="button">Refresh</button>
<section id="job" hidden>
<h2 id="title"></h2>
<progress id="progress" max="100" hidden></progress><p id="state" role="status"></p>
<p id="downloads" data-formats="${FORMAT_NAMES.join(' ')}"></p>
<p id="listen"><label for="listen-file">Choose the recording file to play it along with the transcript: </label><input id="listen-file" type="file" accept="audio/*,video/*"></p>
<p id="elsewhere" hidden>The recording is at <a id="address" target="_blank" rel="noopener noreferrer"></a>.</p>
<audio id="player" controls hidden></audio>
<div id="transcript"></div>
<p id="summary"></p>
<form id="ask"><input id="question" placeholder="Ask about this recording" aria-label="Question about this recording" required><button>Ask</button></form>
<div id="answers"></div>
</section>
<h2>Search</h2>
<form id="search"><input id="query" placeholder="Words, a question, or a &quot;phrase&quot;" aria-label="Search" required><button>Search</button></form>
<p id="searched" role="status"></p><ul id="hits"></ul>
<form id="ask-all"><input id="question-all" placeholder="Ask across all recordings" aria-label="Question across all recordings" required><button>Ask</button></form>
<div id="answer-all"></div>
<h2>On the command line</h2>
<pre><code>curl -H "Authorization: Bearer $API_KEY" -F file=@recording.mp3 ${url}/api/v1/transcriptions
curl -H "Authorization: Bearer $API_KEY" ${url}/api/v1/transcriptions/JOB_ID</code></pre>
<script type="module" src="/console.js"></script></body></html>
`;
}
