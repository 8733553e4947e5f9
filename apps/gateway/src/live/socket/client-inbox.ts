import { Turns } from '../../http/turns.js';
import { FramePace } from './frame-pace.js';
import type { SessionSocket } from './session-socket.js';

/** All sockets of the process together hold the event loop no longer than one. */
const turns = new Turns();

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

/**
 * The frames of a client in their order, some of them in each turn of the event loop and so many in a second. When they cannot be taken,
 * the socket is read no further: a fast client is slowed down by TCP.
 */
export class ClientInbox {
  private readonly frames: ClientFrame[] = [];
  private readonly pace = new FramePace();
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
    this.isBusy = true;
    const restMs = this.pace.restMs();
    if (restMs > 0) {
      setTimeout(() => this.taken(), restMs).unref();
      return;
    }
    let isNow = true;
    turns.run(() => {
      const frame = this.frames.shift();
      if (frame) this.pace.count(frame.data.byteLength);
      const work = frame && this.options.take(frame);
      if (work) void work.catch(this.options.onError).finally(() => this.taken());
      else if (isNow) this.isBusy = false;
      else this.taken();
    });
    isNow = false;
  }

  private taken(): void {
    this.isBusy = false;
    this.drain();
  }
}
