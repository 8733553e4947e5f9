import { DecoratorHandler, type Dispatcher } from 'undici';

/**
 * Keeps an answer that was received completely: when the server closes right after its last byte, without having announced
 * it (RFC 9112, section 9.6, lets it), and the reader has paused, undici fails the answer and drops what was not read yet.
 */
export const wholeAnswer: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => dispatch(options, new WholeAnswer(handler));

class WholeAnswer extends DecoratorHandler {
  private missingBytes = Number.NaN;

  constructor(private readonly next: Dispatcher.DispatchHandler) {
    super(next);
  }

  onResponseStart(...[controller, statusCode, headers, statusMessage]: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>): void {
    // Several headers (an array) or none become NaN: then the length of the whole answer is unknown.
    this.missingBytes = Number(headers['content-length'] ?? Number.NaN);
    this.next.onResponseStart?.(controller, statusCode, headers, statusMessage);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.missingBytes -= chunk.length;
    this.next.onResponseData?.(controller, chunk);
  }

  onResponseError(controller: Dispatcher.DispatchController, error: Error & { code?: string }): void {
    const isWhole = this.missingBytes === 0 && error.code === 'UND_ERR_SOCKET';
    if (isWhole) this.next.onResponseEnd?.(controller, {});
    else this.next.onResponseError?.(controller, error);
  }
}
