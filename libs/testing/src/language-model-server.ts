import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface AskedModel {
  /** Of the schema that the answer is to have; undefined: free text. */
  form: string | undefined;
  system: string;
  /** The first message of the user. */
  user: string;
  messages: { role: string; content: string }[];
}

/** What the model says; an object becomes its JSON. */
export type ModelAnswer = object | string | { status: number; body?: string; headers?: Record<string, string> };

/** A server of OpenAI's `/chat/completions` that answers what a test wants. */
export class LanguageModelServer implements AsyncDisposable {
  readonly asked: AskedModel[] = [];
  /** How it answers from now on; a promise is waited for. */
  answer: (asked: AskedModel) => ModelAnswer | Promise<ModelAnswer> = () => ({ status: 503 });

  private constructor(private readonly server: Server) {}

  static async start(): Promise<LanguageModelServer> {
    const server = createServer();
    const model = new LanguageModelServer(server);
    server.on('request', (request, response) => {
      model.handle(request, response).catch((error: unknown) => {
        // A client that gives up while it sends needs no answer.
        if (!request.errored) throw error;
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return model;
  }

  /** As LANGUAGE_MODEL_URL. @param query further parameters, such as `contextTokens=4000` */
  url(query = ''): string {
    return `openai+http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1?model=test-model&maxRetries=0${query === '' ? '' : `&${query}`}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as { messages: AskedModel['messages']; stream?: boolean; response_format?: { json_schema: { name: string } } };
    const of = (role: string) => body.messages.find((message) => message.role === role)?.content ?? '';
    const asked = { form: body.response_format?.json_schema.name, system: of('system'), user: of('user'), messages: body.messages };
    this.asked.push(asked);
    const answer = await this.answer(asked);
    if (response.destroyed) return;
    if (typeof answer === 'object' && 'status' in answer && typeof answer.status === 'number') {
      const { status, body: text = '{"error": {"message": "fault"}}', headers = {} } = answer as { status: number; body?: string; headers?: Record<string, string> };
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
      return;
    }
    const content = typeof answer === 'string' ? answer : JSON.stringify(answer);
    if (body.stream) return void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(streamed(content));
    const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
    const choices = [{ index: 0, message: { role: 'assistant', content, refusal: null }, finish_reason: 'stop' }];
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion', choices, usage }));
  }
}

/** In pieces of a few characters, as models write. */
function streamed(content: string): string {
  const chunk = (delta: object, finish: string | null) => `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const pieces = content.match(/[\s\S]{1,5}/gu) ?? [];
  return `${pieces.map((piece) => chunk({ content: piece }, null)).join('')}${chunk({}, 'stop')}data: [DONE]\n\n`;
}
