import type { SessionSocket } from './session-socket.js';

/** A frame as it arrived. */
export interface ClientFrame {
  data: Buffer;
  isBinary: boolean;
}

interface ClientInboxOptions {
  /** A promise holds up the frames behind it. */
  take(frame: ClientFrame): Promise<void> | undefined;
  hasRoom(): boolean;
  onError(error: unknown): void;
}

/** The frames of a client in their order. When they cannot be taken, the socket is read no further: a fast client is slowed down by TCP. */
export class ClientInbox {
  private readonly frames: ClientFrame[] = [];
  private isOpen = false;
  private isBusy = false;
  private isClosed = false;

  constructor(
    private readonly socket: Pick<SessionSocket, 'pause' | 'resume' | 'isPaused'>,
    private readonly options: ClientInboxOptions,
  ) {
    socket.pause();
  }

  /** Takes a frame, also one that arrived in the packet before the pause. */
  add(frame: ClientFrame): void {
    if (this.isClosed) return;
    this.frames.push(frame);
    this.drain();
  }

  open(): void {
    this.isOpen = true;
    this.drain();
  }

  /** Frames are dropped from now on; the socket is read on, so that its end is seen. */
  close(): void {
    this.isClosed = true;
    this.frames.length = 0;
    if (this.socket.isPaused) this.socket.resume();
  }

  /** Takes what waits. */
  drain(): void {
    if (!this.isOpen || this.isClosed) return;
    while (!this.isBusy && this.frames.length > 0 && this.options.hasRoom()) this.takeNext();
    const mustWait = this.isBusy || this.frames.length > 0 || !this.options.hasRoom();
    if (this.isClosed || mustWait === this.socket.isPaused) return;
    if (mustWait) this.socket.pause();
    else this.socket.resume();
  }

  private takeNext(): void {
    const frame = this.frames.shift();
    const work = frame && this.options.take(frame);
    if (!work) return;
    this.isBusy = true;
    void work.catch(this.options.onError).finally(() => {
      this.isBusy = false;
      this.drain();
    });
  }
}
