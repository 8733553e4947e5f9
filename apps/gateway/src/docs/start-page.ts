import { htmlPage } from './html-page.js';

export const START_PAGE = htmlPage(
  'Parlance',
  `<h1>Parlance</h1>
<p>Turns speech in audio and video files into searchable text. Everything it does is in its REST API.</p>
<ul>
<li><a href="/docs">Read and try the API</a> · <a href="/openapi.json">OpenAPI 3.1</a></li>
<li><a href="/problems">Error codes</a></li>
<li><a href="/health/ready">Health</a> · <a href="/metrics">Metrics</a></li>
</ul>
<pre><code>curl -H "Authorization: Bearer $API_KEY" -F file=@recording.mp3 http://localhost:3000/api/v1/transcriptions
curl -H "Authorization: Bearer $API_KEY" http://localhost:3000/api/v1/transcriptions/JOB_ID</code></pre>`,
);
