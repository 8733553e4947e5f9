// Preloaded into the product by tests: measures how long its main thread runs without a pause.
// Processor time of the thread, not wall time: other processes on the machine do not change it.
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { isMainThread } from 'node:worker_threads';

const { LOOP_PROBE_SOCKET: socketPath } = process.env;
const EVERY_MS = 2;

if (isMainThread && socketPath !== undefined) {
  // Child processes inherit the environment and must not replace the socket.
  delete process.env.LOOP_PROBE_SOCKET;
  delete process.env.NODE_OPTIONS;
  let longestUs = 0;
  let askedUs = threadTimeUs();
  let lastUs = threadTimeUs();
  const sample = () => {
    const nowUs = threadTimeUs();
    longestUs = Math.max(longestUs, nowUs - lastUs);
    lastUs = nowUs;
  };
  setInterval(sample, EVERY_MS).unref();
  rmSync(socketPath, { force: true });
  createServer((socket) => {
    sample();
    socket.on('error', () => {}).end(JSON.stringify({ longestMs: longestUs / 1000, totalMs: (lastUs - askedUs) / 1000 }));
    longestUs = 0;
    askedUs = lastUs;
  })
    .listen(socketPath)
    .unref();
}

function threadTimeUs() {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}
