import { setTimeout as sleep } from 'node:timers/promises';

const { ApiClient } = await import(new URL('../../apps/standalone/dist/api-client.js', import.meta.url));

const TRIES = 120;
const PAUSE_MS = 250;

/** The gateways as the client of one live session reaches them: each of its connections goes to the next gateway. */
export class GatewayTurns {
  hasConnected = false;

  /** @param first the gateway of the first connection, by its place */
  constructor({ api: { apiKey, urls } }, first) {
    this.urls = urls;
    this.clients = urls.map((url) => new ApiClient(url, apiKey));
    this.turn = first % urls.length;
  }

  /** The address of the gateway whose turn it is. */
  get url() {
    return this.urls[this.turn];
  }

  get client() {
    return this.clients[this.turn];
  }

  /** Tried again, at the next gateway, while one is killed: what was created without an answer ends by itself. */
  async openLive() {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.client.openLive();
      } catch (error) {
        if (!(error instanceof TypeError) || tries === TRIES) throw error;
        this.moveOn();
        await sleep(PAUSE_MS);
      }
    }
  }

  liveToken(sessionId) {
    if (this.hasConnected) this.moveOn();
    this.hasConnected = true;
    return this.client.liveToken(sessionId);
  }

  moveOn() {
    this.turn = (this.turn + 1) % this.urls.length;
  }

  liveOffset(sessionId) {
    return this.client.liveOffset(sessionId);
  }

  liveEvents(sessionId, after) {
    return this.client.liveEvents(sessionId, after);
  }

  liveSocketUrl(sessionId) {
    return this.client.liveSocketUrl(sessionId);
  }
}
