// The console of the start page. It speaks the public API with the key that its user gives, and loads nothing from elsewhere.
// What comes from the API is put in as text, never as HTML.

const API = '/api/v1';
const TERMINAL = new Set(['completed', 'failed', 'canceled']);
const KEY = 'parlance-api-key';

/** The files that were uploaded from this page, by job, for playback. */
const uploaded = new Map();
/** The job that is shown: its segments with their elements, its conversation, and what ends with it. */
let shown = { jobId: '', segments: [], conversationId: undefined, over: new AbortController() };

const at = (id) => document.getElementById(id);

const FORMATS = at('downloads').dataset.formats.split(' ');

function make(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/** `1:02:03` or `2:03`. */
function clock(seconds) {
  const whole = Math.floor(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60].map((part) => String(part).padStart(2, '0'));
  return hours === '00' ? `${Number(minutes)}:${rest}` : `${Number(hours)}:${minutes}:${rest}`;
}

/** @throws Error with what the server says is wrong */
async function call(path, { method = 'GET', body, headers = {}, signal } = {}) {
  const isForm = body instanceof FormData;
  const response = await fetch(API + path, {
    method,
    signal,
    headers: { authorization: `Bearer ${at('key').value.trim()}`, ...(body && !isForm && { 'content-type': 'application/json' }), ...headers },
    body: body && !isForm ? JSON.stringify(body) : body,
  });
  if (response.ok) return response;
  const problem = await response.json().catch(() => ({}));
  throw new Error(problem.detail ?? `The server answered ${response.status}.`);
}

const json = async (path, options) => (await call(path, options)).json();
const post = (path, body) => json(path, { method: 'POST', body });

/** Does it and says what went wrong. */
async function attempt(work) {
  at('message').textContent = '';
  try {
    await work();
  } catch (error) {
    if (error.name !== 'AbortError') at('message').textContent = error.message;
  }
}

const on = (id, event, work) =>
  at(id).addEventListener(event, (happened) => {
    happened.preventDefault();
    void attempt(() => work(happened.target));
  });

// ---- Jobs

const titleOf = ({ metadata, file_name: file, audio_url: url, job_id: id }) => metadata.title || file || url || id;

async function listJobs() {
  const { data } = await json('/transcriptions?limit=20');
  at('jobs').replaceChildren(...data.map((job) => make('li', {}, openButton(job.job_id, titleOf(job)), make('span', { className: 'quiet', textContent: ` ${job.status}, ${new Date(job.created_at).toLocaleString()}` }))));
}

const openButton = (jobId, textContent, seconds) => make('button', { type: 'button', className: 'open', textContent, onclick: () => void attempt(() => show(jobId, seconds)) });

async function submit(form) {
  const [file] = at('file').files;
  const url = at('url').value.trim();
  if (!file && !url) throw new Error('Choose a file or enter a URL.');
  const body = new FormData();
  if (file) body.append('file', file);
  else body.append('audio_url', url);
  const { job_id: jobId } = await json('/transcriptions', { method: 'POST', body });
  if (file) uploaded.set(jobId, URL.createObjectURL(file));
  form.reset();
  await listJobs();
  await show(jobId);
}

async function show(jobId, seconds) {
  shown.over.abort();
  const over = new AbortController();
  shown = { jobId, segments: [], conversationId: undefined, over };
  for (const id of ['transcript', 'summary', 'answers']) at(id).replaceChildren();
  at('job').hidden = false;
  const job = await json(`/transcriptions/${jobId}`, { signal: over.signal });
  showState(job);
  showPlayer(job);
  if (job.transcript) showTranscript(job.transcript);
  if (!TERMINAL.has(job.status)) await watch(jobId, over.signal);
  else await showSummary(job);
  if (seconds !== undefined) jumpTo(seconds);
}

function showState(job) {
  const { percent, stage } = job.progress;
  at('title').textContent = titleOf(job);
  at('progress').value = percent;
  at('progress').hidden = TERMINAL.has(job.status);
  const notes = [job.error?.message, ...job.warnings.map(({ message }) => message)].filter(Boolean);
  at('state').textContent = [TERMINAL.has(job.status) || !stage ? job.status : `${job.status}: ${stage}`, ...notes].join(' — ');
  at('downloads').replaceChildren(...(job.transcript ? FORMATS.map((format) => make('button', { type: 'button', textContent: format, onclick: () => void attempt(() => download(job.job_id, format)) })) : []));
}

/** Follows the job's events; each segment appears as soon as its chunk is transcribed. */
async function watch(jobId, signal) {
  const response = await call(`/transcriptions/${jobId}/events`, { headers: { accept: 'text/event-stream' }, signal });
  at('transcript').replaceChildren();
  for await (const { event, data } of eventsOf(response)) {
    if (event === 'progress') at('progress').value = data.percent;
    if (event === 'progress' && data.stage) at('state').textContent = `processing: ${data.stage}`;
    if (event === 'transcript.segment') at('transcript').append(make('p', { textContent: data.text }));
  }
  if (signal.aborted) return;
  await listJobs();
  await show(jobId);
}

async function* eventsOf(response) {
  let held = '';
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let { value, done } = await reader.read(); !done; { value, done } = await reader.read()) {
    const texts = (held + value).split('\n\n');
    held = texts.pop();
    for (const text of texts) {
      const field = (name) => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1];
      const data = field('data');
      if (data !== undefined) yield { event: field('event'), data: JSON.parse(data) };
    }
  }
}

function showTranscript({ segments, speakers }) {
  const names = new Map(speakers.map(({ speaker_id: id, name }) => [id, name]));
  shown.segments = segments.map(({ start, end, text, speaker_id: speaker }) => {
    const name = names.get(speaker);
    return { start, end, element: make('p', {}, timeButton(start), make('b', { textContent: name ? `${name}: ` : '' }), text) };
  });
  at('transcript').replaceChildren(...(segments.length > 0 ? shown.segments.map(({ element }) => element) : [make('p', { textContent: 'No speech was found in this recording.' })]));
}

async function showSummary({ job_id: jobId, stages }) {
  if (stages.summary.status !== 'completed') return;
  const { text } = await json(`/transcriptions/${jobId}/summary`, { signal: shown.over.signal });
  at('summary').textContent = text;
}

async function download(jobId, format) {
  const response = await call(`/transcriptions/${jobId}/transcript?format=${format}`);
  const href = URL.createObjectURL(await response.blob());
  make('a', { href, download: `${jobId}.${format}` }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

// ---- Reading and listening along

const timeButton = (seconds) => make('button', { type: 'button', className: 'time', textContent: clock(seconds), onclick: () => jumpTo(seconds) });

/** A recording is not given out again: it is what was uploaded from here, or is chosen once more. Its address is a link, and not loaded. */
function showPlayer({ job_id: jobId, audio_url: url }) {
  const source = uploaded.get(jobId);
  at('elsewhere').hidden = url === undefined;
  if (url !== undefined) Object.assign(at('address'), { href: url, textContent: url });
  at('player').hidden = source === undefined;
  at('listen').hidden = source !== undefined;
  if (source === undefined) at('player').removeAttribute('src');
  else at('player').src = source;
}

function listenTo(input) {
  const [file] = input.files;
  if (!file) return;
  uploaded.set(shown.jobId, URL.createObjectURL(file));
  input.value = '';
  showPlayer({ job_id: shown.jobId });
}

function jumpTo(seconds) {
  const player = at('player');
  mark(seconds, true);
  if (player.hidden) return;
  player.currentTime = seconds;
  void player.play().catch(() => undefined);
}

/** Marks the segment at this time. */
function mark(seconds, isAsked = false) {
  const now = shown.segments.find(({ start, end }) => start <= seconds && seconds < end);
  if (!now || (now.element.className === 'spoken' && !isAsked)) return;
  for (const { element } of shown.segments) element.className = '';
  now.element.className = 'spoken';
  now.element.scrollIntoView({ block: 'nearest' });
}

// ---- Searching and asking

async function search() {
  const { data, mode } = await json(`/search?limit=20&q=${encodeURIComponent(at('query').value)}`);
  at('searched').textContent = `${data.length === 0 ? 'No results' : `${data.length} found`} (${mode})`;
  at('hits').replaceChildren(...data.map((hit) => make('li', {}, openButton(hit.job_id, `${hit.speaker ? `${hit.speaker}, ` : ''}${clock(hit.jump_to)}`, hit.jump_to), ' ', ...marked(hit.highlights))));
}

/** @param highlights a text, and what of it fits, as offsets */
function marked({ text, marks }) {
  const pieces = [];
  let done = 0;
  for (const [from, before] of marks) {
    pieces.push(text.slice(done, from), make('mark', { textContent: text.slice(from, before) }));
    done = before;
  }
  return [...pieces, text.slice(done)];
}

function answerOf(message, { answer, citations }) {
  const cited = citations.map(({ job_id: jobId, start, quote }) => make('li', {}, jobId === shown.jobId ? timeButton(start) : openButton(jobId, clock(start), start), ` ${quote}`));
  return make('div', {}, make('p', {}, make('b', { textContent: message })), make('p', { className: 'answer', textContent: answer }), make('ul', {}, ...cited));
}

async function ask() {
  const message = at('question').value;
  const { jobId, conversationId } = shown;
  const answered = await post(`/transcriptions/${jobId}/chat`, { message, ...(conversationId && { conversation_id: conversationId }) });
  if (shown.jobId !== jobId) return;
  shown.conversationId = answered.conversation_id;
  at('question').value = '';
  at('answers').append(answerOf(message, answered));
}

async function askAll() {
  const message = at('question-all').value;
  at('answer-all').replaceChildren(answerOf(message, await post('/chat', { message })));
}

on('enter', 'submit', async () => {
  await listJobs();
  sessionStorage.setItem(KEY, at('key').value.trim());
});
on('submit', 'submit', submit);
on('refresh', 'click', listJobs);
on('listen-file', 'change', listenTo);
on('search', 'submit', search);
on('ask', 'submit', ask);
on('ask-all', 'submit', askAll);
at('player').addEventListener('timeupdate', ({ target }) => mark(target.currentTime));
at('key').value = sessionStorage.getItem(KEY) ?? '';
if (at('key').value !== '') void attempt(listJobs);
// The page of live sessions links to their jobs.
const [linked] = /^#(job_\w+)$/.exec(location.hash)?.slice(1) ?? [];
if (at('key').value !== '' && linked) void attempt(() => show(linked));
