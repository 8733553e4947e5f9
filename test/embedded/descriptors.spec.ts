import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { content, eventually, exhaustDescriptors, heldUntil, MediaServer, ParlanceProcess, SAMPLES } from '@parlance/testing';
import { nothingLeft } from '../system/nothing-left.js';

/** A second for each chunk, so that chunks of the upload wait for the engine or run while the descriptors are gone. */
const SETTINGS = { SPEECH_ENGINE_URL: 'fixture:?delayMs=1000', CHUNK_IDEAL_SECONDS: '5', CHUNK_MAX_SECONDS: '10' };
const DESCRIPTORS = 256;
const IDLE_SOCKETS = 400;
/** An ingest task has three tries. */
const MORE_THAN_ALL_TRIES = 4;
/** In the log, as no metrics can be read without a descriptor. A try that waits for scratch room is none. */
const isOutage = (line: string) => /handling an event failed|a task failed; trying again/.test(line) && /EMFILE|_unavailable/.test(line);

const opened = new AsyncDisposableStack();
let parlance: ParlanceProcess;
let media: MediaServer;
let recording: Buffer;

beforeAll(async () => {
  media = opened.use(await MediaServer.start());
  recording = await readFile(SAMPLES.meeting.path);
  parlance = opened.use(await ParlanceProcess.start({ descriptors: DESCRIPTORS, env: SETTINGS }));
});
afterAll(() => opened.disposeAsync());

/** Submits an upload, and an address whose recording is sent once it is released: the work of the second cannot be over before. */
async function submitTwo(released: Promise<void>): Promise<string[]> {
  const url = media.at('/meeting', heldUntil(released, content(recording)));
  return Promise.all([parlance.api.submit({ audio_url: url }), parlance.api.upload(SAMPLES.reading.path)]);
}

async function completes(jobIds: readonly string[]): Promise<void> {
  for (const jobId of jobIds) {
    const { status, error } = await parlance.api.terminal(jobId);
    expect(error ?? status).toBe('completed');
  }
  const metrics = await parlance.metrics();
  expect(metrics.total('parlance_dead_letters_total')).toBe(0);
  expect(metrics.total('parlance_chunk_failures_total')).toBe(0);
  await nothingLeft(parlance);
}

function idleSocket(): Socket {
  const { hostname, port } = new URL(parlance.api.url);
  return connect(Number(port), hostname).on('error', () => undefined);
}

describe('a process without a free descriptor', () => {
  it('ends no accepted job: each waits and completes once there are some again', async () => {
    const exhausted = Promise.withResolvers<void>();
    const jobIds = await submitTwo(exhausted.promise);
    const relieve = await exhaustDescriptors(parlance.pid);
    exhausted.resolve();
    try {
      await eventually('more tries than an event has', async () => (await parlance.log()).split('\n').filter(isOutage).length >= MORE_THAN_ALL_TRIES);
    } finally {
      await relieve();
    }
    await completes(jobIds);
    const metrics = await parlance.metrics();
    expect(metrics.total('parlance_event_outages_total') + metrics.total('parlance_task_outages_total')).toBeGreaterThanOrEqual(MORE_THAN_ALL_TRIES);
  });

  it('ends none either when idle connections took them', async () => {
    const taken = Promise.withResolvers<void>();
    const jobIds = await submitTwo(taken.promise);
    const idle = Array.from({ length: IDLE_SOCKETS }, idleSocket);
    try {
      await eventually('the process to hold what it can of them', async () => (await parlance.descriptorsInUse()) > DESCRIPTORS / 2);
      taken.resolve();
      await new Promise((resolve) => setTimeout(resolve, 1000));
    } finally {
      for (const socket of idle) socket.destroy();
    }
    await completes(jobIds);
  });
});
