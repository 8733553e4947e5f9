import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

const WAV_HEADER = 44;
const ANSWER = 'A transcript is speech in writing.';

/** A server of OpenAI's API: it transcribes any sound as three words, embeds by the letters of a text and always says the same. */
export class OpenAiServer {
  private constructor(private readonly server: Server) {}

  static async start(): Promise<OpenAiServer> {
    const server = createServer(async (request, response) => {
      const body = await buffer(request);
      const answer = await answerTo(request.url ?? '', body, request.headers['content-type'] ?? '');
      response.writeHead(200, { 'content-type': typeof answer === 'string' ? 'text/event-stream' : 'application/json' });
      response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new OpenAiServer(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

async function answerTo(path: string, body: Buffer, type: string): Promise<object | string> {
  if (path.endsWith('/audio/transcriptions')) return transcription(await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData());
  const asked = JSON.parse(body.toString()) as { input?: string[]; stream?: boolean };
  return asked.input ? embeddings(asked.input) : chat(asked.stream === true);
}

async function transcription(form: FormData): Promise<object> {
  const wav = Buffer.from(await (form.get('file') as File).arrayBuffer());
  if (!wav.subarray(WAV_HEADER).some((byte) => byte !== 0)) return { text: '', language: 'english', duration: 0, words: [], segments: [] };
  const words = ['yes', 'no', 'perhaps'].map((word, index) => ({ word, start: index / 3, end: (index + 1) / 3 }));
  return { text: 'yes no perhaps', language: 'english', duration: 1, words, segments: [{ start: 0, end: 1, text: ' yes no perhaps', avg_logprob: -0.2, no_speech_prob: 0 }] };
}

const embeddings = (input: readonly string[]): object => ({
  data: input.map((text, index) => ({ index, embedding: [text.length, text.charCodeAt(0), text.charCodeAt(text.length - 1)] })),
  usage: { prompt_tokens: 1, total_tokens: 1 },
});

function chat(isStreamed: boolean): object | string {
  if (!isStreamed) return { choices: [{ index: 0, message: { role: 'assistant', content: ANSWER }, finish_reason: 'stop' }] };
  const pieces = ANSWER.split(/(?<= )/).map((content) => ({ choices: [{ index: 0, delta: { content } }] }));
  return [...pieces, { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }].map((piece) => `data: ${JSON.stringify(piece)}\n\n`).join('').concat('data: [DONE]\n\n');
}
