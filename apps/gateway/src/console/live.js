// The page that listens to the microphone. It speaks the public API with the key that its user gives.
// What comes from the API is put in as text, never as HTML.
import { openMicrophone } from './live-microphone.js';
import { LiveSocket } from './live-socket.js';

const KEY = 'parlance-api-key';
const TERMINAL = new Set(['completed', 'failed', 'canceled']);

const at = (id) => document.getElementById(id);

/** @throws Error with what the server says is wrong, and its `status` */
async function call(method, path, body) {
  const headers = { authorization: `Bearer ${at('key').value.trim()}`, ...(body && { 'content-type': 'application/json' }) };
  const response = await fetch(`/api/v1${path}`, { method, headers, body: body && JSON.stringify(body) });
  if (response.ok) return response.json();
  const problem = await response.json().catch(() => ({}));
  throw Object.assign(new Error(problem.detail ?? `The server answered ${response.status}.`), { status: response.status });
}

/** `1:02:03` or `2:03`. */
function clock(seconds) {
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), Math.floor(seconds % 60)];
  const end = `:${String(rest).padStart(2, '0')}`;
  return hours === 0 ? `${minutes}${end}` : `${hours}:${String(minutes).padStart(2, '0')}${end}`;
}

function paragraph({ start, text }) {
  const element = document.createElement('p');
  element.textContent = `${clock(start)} ${text}`;
  return element;
}

const SHOWN = {
  ready: () => (at('state').textContent = 'Listening.'),
  go_away: () => (at('state').textContent = 'The server restarts; connecting again…'),
  error: ({ retryable }) => (at('state').textContent = retryable ? 'Connecting again…' : ''),
  warning: ({ message }) => (at('message').textContent = message),
  partial: ({ text }) => (at('partial').textContent = text),
  final(message) {
    at('partial').textContent = '';
    if (message.text.trim() !== '') at('transcript').append(paragraph(message));
  },
};

async function listen() {
  at('transcript').replaceChildren();
  at('result').hidden = true;
  const microphone = await openMicrophone();
  try {
    const jobId = await transcribe(microphone);
    at('state').textContent = 'Ended.';
    await follow(jobId);
  } finally {
    await microphone.close().catch(() => undefined);
  }
}

/** @returns the id of the session, which is that of its job */
async function transcribe(microphone) {
  const audio = { encoding: 'pcm_s16le', sample_rate: microphone.sampleRate, channels: 1 };
  const { id, resume_within_ms: resumeWithinMs } = await call('POST', '/live', { audio, partials: true });
  sessionStorage.setItem(KEY, at('key').value.trim());
  const url = `${location.origin.replace(/^http/, 'ws')}/api/v1/live/${id}/socket`;
  const token = async () => (await call('POST', `/live/${id}/tokens`)).token;
  const socket = new LiveSocket({ url, token, resumeWithinMs, onMessage: (message) => SHOWN[message.type]?.(message) });
  const ended = new AbortController();
  const end = () => {
    ended.abort();
    at('stop').disabled = true;
    socket.finish();
    void microphone.close();
  };
  microphone.listen((block) => {
    try {
      socket.write(block);
    } catch (error) {
      at('message').textContent = error.message;
      end();
    }
  });
  at('stop').addEventListener('click', end, { signal: ended.signal });
  at('stop').disabled = false;
  try {
    await socket.run();
  } finally {
    ended.abort();
  }
  return id;
}

async function follow(jobId) {
  Object.assign(at('job'), { textContent: jobId, href: `/#${jobId}` });
  at('result').hidden = false;
  for (let status = ''; !TERMINAL.has(status); ) {
    ({ status } = await call('GET', `/transcriptions/${jobId}?wait=20&include=none`));
    at('status').textContent = status;
  }
}

at('session').addEventListener('submit', async (event) => {
  event.preventDefault();
  at('message').textContent = '';
  at('start').disabled = true;
  try {
    await listen();
  } catch (error) {
    at('message').textContent = error.message;
    at('state').textContent = '';
  } finally {
    at('start').disabled = false;
    at('stop').disabled = true;
  }
});
at('key').value = sessionStorage.getItem(KEY) ?? '';
