import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { content, SAMPLES } from '@parlance/testing';

/** A round is over soon, and every disturbance meets jobs in all their stages. */
const MAX_JOBS = 12;
const CALLERS = 3;
const PAUSE_MS = 250;
const WATCH_EVERY_MS = 150;
const TERMINAL = new Set(['completed', 'failed', 'canceled']);

/** A few seconds of speech. @returns its path */
export const shortRecording = (files) => files.make('short.wav', '-i', SAMPLES.reading.path, '-t', '3', '-ac', '1', '-ar', '16000');

/** Callers that make jobs and sign up, and one that watches; they keep what they were answered. */
export class Load {
  /** Ids of the jobs of each 202. */
  acknowledged = [];
  /** Keys of each 201 of a sign-up. */
  keys = [];
  /** By job: the first terminal status that a caller saw. */
  seen = new Map();
  /** A terminal status that a caller saw become another. */
  undone = [];
  /** Ids of jobs whose answer came after the cut that happened during their call. */
  answeredAfterCut = [];
  #cuts = 0;
  #stop = new AbortController();
  #callers = [];
  #call = 0;

  /** @param parlance whose `api` is asked anew for each call: it changes with a restart */
  constructor(parlance, { recording, media, receiver }) {
    this.parlance = parlance;
    this.recording = recording;
    this.media = media;
    this.receiver = receiver;
  }

  async start() {
    this.url = this.media.at('/short.wav', content(await readFile(this.recording)));
    this.#callers = Array.from({ length: CALLERS }, () => this.#until(() => this.acknowledged.length >= MAX_JOBS, PAUSE_MS, () => this.#post()));
    this.#callers.push(this.#until(() => false, WATCH_EVERY_MS, () => this.#watch()));
  }

  /** Ends the calls; those under way are waited for. */
  async stop() {
    this.#stop.abort();
    await Promise.all(this.#callers);
  }

  /** The power is cut now: on a real machine the answers that come after this moment would never have left it. */
  cut() {
    this.#cuts += 1;
  }

  /** A call that fails while the product is disturbed was promised nothing. */
  async #until(done, pauseMs, call) {
    while (!done() && !this.#stop.signal.aborted) {
      await call().catch(() => undefined);
      await sleep(pauseMs);
    }
  }

  async #post() {
    const { api } = this.parlance;
    const call = this.#call++;
    const cuts = this.#cuts;
    if (call % 5 === 4) return this.#signUp(api, call, cuts);
    const options = { callback_url: this.receiver.url };
    const jobId = call % 2 === 0 ? await api.upload(this.recording, options) : await api.submit({ ...options, audio_url: this.url });
    (cuts === this.#cuts ? this.acknowledged : this.answeredAfterCut).push(jobId);
  }

  async #signUp(api, call, cuts) {
    const response = await api.post('/signup', { email: `caller-${call}@example.org` });
    if (response.status !== 201) return;
    const { api_key: key } = await response.json();
    if (cuts === this.#cuts) this.keys.push(key);
  }

  async #watch() {
    const cuts = this.#cuts;
    const { data } = await this.parlance.api.json('/transcriptions?limit=100');
    if (cuts !== this.#cuts) return;
    for (const { job_id: jobId, status } of data) this.note(jobId, status);
  }

  note(jobId, status) {
    const before = this.seen.get(jobId);
    if (before !== undefined && before !== status) this.undone.push(`${jobId} was ${before}, then ${status}`);
    if (before === undefined && TERMINAL.has(status)) this.seen.set(jobId, status);
  }
}
