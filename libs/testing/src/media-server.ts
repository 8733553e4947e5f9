import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How one address of the media server answers. `nth` counts its requests from 1. */
export type MediaAnswer = (request: IncomingMessage, response: ServerResponse, nth: number) => void;

/** A real HTTP server on loopback whose every address answers as the test says. */
export class MediaServer implements AsyncDisposable {
  private readonly answers = new Map<string, MediaAnswer>();
  private readonly counts = new Map<string, number>();
  /** Range headers by path, in the order of the requests. */
  private readonly asked = new Map<string, (string | undefined)[]>();

  private readonly server = createServer((request, response) => this.answer(request, response));
  private port = 0;

  private constructor() {}

  static async start(): Promise<MediaServer> {
    const media = new MediaServer();
    await new Promise<void>((resolve) => media.server.listen(0, '127.0.0.1', resolve));
    media.port = (media.server.address() as AddressInfo).port;
    return media;
  }

  /** @param path such as `/talk.mp3`. @returns its URL. */
  at(path: string, answer: MediaAnswer): string {
    this.answers.set(path, answer);
    return this.url(path);
  }

  url(path: string): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  ranges(path: string): (string | undefined)[] {
    return this.asked.get(path) ?? [];
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const path = (request.url ?? '/').replace(/\?.*$/, '');
    const answer = this.answers.get(path);
    const nth = (this.counts.get(path) ?? 0) + 1;
    this.counts.set(path, nth);
    this.asked.set(path, [...this.ranges(path), request.headers.range]);
    if (answer) answer(request, response, nth);
    else response.writeHead(404).end();
  }
}
