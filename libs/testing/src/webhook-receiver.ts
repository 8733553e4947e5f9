import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

export interface ReceivedWebhook {
  headers: IncomingHttpHeaders;
  /** As it came, for the signature. */
  raw: string;
  body: { type: string; timestamp: string; data: Record<string, unknown> };
}

export type Answer = (request: IncomingMessage, response: ServerResponse, received: ReceivedWebhook) => void;

/** A real HTTP receiver of webhooks on loopback; answers 204 unless told otherwise. */
export class WebhookReceiver implements AsyncDisposable {
  readonly received: ReceivedWebhook[] = [];

  private constructor(
    readonly url: string,
    /** May be changed at any time. */
    public answer: Answer,
    private readonly shut: () => Promise<void>,
  ) {}

  /** @param requestedPort 0: any free one. */
  static async start(answer: Answer = (_request, response) => void response.writeHead(204).end(), requestedPort = 0): Promise<WebhookReceiver> {
    const server = createServer((request, response) => {
      let raw = '';
      request.setEncoding('utf8');
      request.on('data', (text: string) => (raw += text));
      request.on('end', () => {
        const received = { headers: request.headers, raw, body: JSON.parse(raw) as ReceivedWebhook['body'] };
        receiver.received.push(received);
        receiver.answer(request, response, received);
      });
    });
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(requestedPort, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const receiver = new WebhookReceiver(`http://127.0.0.1:${port}/hook`, answer, async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    return receiver;
  }

  /** In the order they came. */
  of(jobId: string): ReceivedWebhook[] {
    return this.received.filter(({ body }) => body.data.job_id === jobId);
  }

  typesOf(jobId: string): string[] {
    return this.of(jobId).map(({ body }) => body.type);
  }

  close(): Promise<void> {
    return this.shut();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** @throws WebhookVerificationError when headers and body were not signed with this secret, just now. */
export function verifyWebhook(secret: string, { raw, headers }: ReceivedWebhook): void {
  new Webhook(secret).verify(raw, headers as Record<string, string>);
}
