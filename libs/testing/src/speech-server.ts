import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Seconds between the words, and before the first. */
const PACE = 0.28;
const FIRST = 0.5;

/** A server of OpenAI's `/audio/transcriptions` that hears what a test wants, whatever the recording says. */
export class SpeechServer implements AsyncDisposable {
  private constructor(
    private readonly server: Server,
    /** As SPEECH_ENGINE_URL. */
    readonly url: string,
  ) {}

  /** @param spoken the text of every chunk, at most four words for each second of the recording; an answer waits for its promise */
  static async start(spoken: () => string | Promise<string>): Promise<SpeechServer> {
    const server = createServer((request, response) => {
      request.resume().once('end', async () => {
        const text = await spoken();
        const words = text.split(/\s+/u).map((word, index) => ({ word, start: FIRST + index * PACE, end: FIRST + (index + 0.9) * PACE }));
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ task: 'transcribe', language: 'english', duration: 9, text, words, segments: [] }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new SpeechServer(server, `openai+http://127.0.0.1:${(server.address() as AddressInfo).port}/v1?model=test-model`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
