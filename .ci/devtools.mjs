// A page in a Chromium of its own, driven by the DevTools protocol: https://chromedevtools.github.io/devtools-protocol/
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';

const FLAGS = ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--disable-background-networking', '--remote-debugging-port=0'];
/** A guard against hanging, far above what it takes. */
const LIMIT_MS = Math.ceil(120_000 * Number(process.env.TIME_FACTOR ?? 1));

export class BrowserPage {
  #calls = new Map();
  #lastCall = 0;

  /** @param wav the file that its microphone plays once, from its opening on */
  static async open(url, { folder, wav }) {
    const profile = join(folder, `profile-${Math.random()}`);
    const microphone = ['--use-fake-ui-for-media-stream', '--use-fake-device-for-media-stream', `--use-file-for-fake-audio-capture=${wav}%noloop`];
    const child = spawn('chromium', [...FLAGS, ...microphone, `--user-data-dir=${profile}`, url], { stdio: 'ignore' });
    const page = new BrowserPage();
    page.child = child;
    const [port] = (await until('Chromium', () => readFile(join(profile, 'DevToolsActivePort'), 'utf8').catch(() => ''))).split('\n');
    const target = await until('the page', async () => (await (await fetch(`http://127.0.0.1:${port}/json`)).json()).find((each) => each.type === 'page' && each.url === url));
    page.socket = new WebSocket(target.webSocketDebuggerUrl);
    await once(page.socket, 'open');
    page.socket.on('message', (data) => page.#answer(JSON.parse(String(data))));
    // Its modules have run then.
    await page.until(`location.href === ${JSON.stringify(url)} && document.readyState === 'complete'`);
    return page;
  }

  /** The value of an expression in the page, awaited there. */
  async evaluate(expression) {
    const { result, exceptionDetails } = await this.#call('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true, userGesture: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  /** Waits until the expression is true. */
  until(expression) {
    return until(expression, () => this.evaluate(expression));
  }

  close() {
    this.socket.close();
    this.child.kill();
  }

  #call(method, params) {
    const id = ++this.#lastCall;
    return new Promise((resolve) => {
      this.#calls.set(id, resolve);
      this.socket.send(JSON.stringify({ id, method, params }));
    });
  }

  #answer({ id, result }) {
    this.#calls.get(id)?.(result);
    this.#calls.delete(id);
  }
}

async function until(what, check) {
  for (const end = Date.now() + LIMIT_MS; Date.now() < end; await sleep(200)) {
    const found = await check();
    if (found) return found;
  }
  throw new Error(`waited ${LIMIT_MS / 1000} s for ${what}`);
}
