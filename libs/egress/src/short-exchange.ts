import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';

/** The head of an answer and how its body begins. */
export interface ShortAnswer {
  statusCode: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface ShortExchangeLimits {
  /** Milliseconds for connection and answer together. */
  timeoutMs: number;
  /** The maximum size of the answer's body; when more arrives, the connection is closed. */
  maxBytes: number;
}

/**
 * One request and the beginning of its answer, without the streams and signals of undici's `request`, which cost as much
 * again as the exchange. Once the head is there, whatever goes wrong only shortens the body.
 * @throws DOMException TimeoutError; undici's errors
 */
export const shortExchange = (agent: Dispatcher, options: Dispatcher.DispatchOptions, limits: ShortExchangeLimits): Promise<ShortAnswer> =>
  new Promise((resolve, reject) => {
    agent.dispatch(options, new ShortExchange(limits, resolve, reject));
  });

class ShortExchange implements Dispatcher.DispatchHandler {
  private readonly timer: NodeJS.Timeout;
  private controller: Dispatcher.DispatchController | undefined;
  private head: Omit<ShortAnswer, 'body'> | undefined;
  private readonly chunks: Buffer[] = [];
  private bytes = 0;
  private ended = false;

  constructor(
    private readonly limits: ShortExchangeLimits,
    private readonly resolve: (answer: ShortAnswer) => void,
    private readonly reject: (error: unknown) => void,
  ) {
    this.timer = setTimeout(() => this.breakOff(new DOMException('The exchange took too long.', 'TimeoutError')), limits.timeoutMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    // The time was over before there was a connection.
    if (this.ended) controller.abort(new DOMException('The exchange took too long.', 'TimeoutError'));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, statusCode: number, headers: IncomingHttpHeaders): void {
    if (statusCode >= 200) this.head = { statusCode, headers };
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.ended) return;
    const part = chunk.subarray(0, this.limits.maxBytes - this.bytes);
    this.chunks.push(part);
    this.bytes += part.length;
    if (this.bytes === this.limits.maxBytes) this.breakOff(new Error('The rest of the answer is not read.'));
  }

  onResponseEnd(): void {
    this.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.end(error);
  }

  private breakOff(reason: Error): void {
    this.end(reason);
    this.controller?.abort(reason);
  }

  private end(error?: Error): void {
    if (this.ended) return;
    this.ended = true;
    clearTimeout(this.timer);
    if (this.head) this.resolve({ ...this.head, body: Buffer.concat(this.chunks) });
    else this.reject(error);
  }
}
