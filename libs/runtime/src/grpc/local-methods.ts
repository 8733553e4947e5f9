import { AsyncLocalStorage } from 'node:async_hooks';
import type { Server, ServiceDefinition, UntypedServiceImplementation } from '@grpc/grpc-js';
import { messagesOf } from '@parlance/contracts';
import type { LocalCallOptions } from '@parlance/platform';
import { LocalCall, type LocalMethod } from './local-call.js';

/** Calls in one turn of the event loop: one who asks again and again lets timers and sockets have theirs. */
const CALLS_A_TURN = 64;

/**
 * The unary methods of a service, for callers in the same process: their calls go to the handlers without HTTP/2, which
 * costs several times what most handlers do.
 */
export class LocalMethods {
  private readonly methods = new Map<string, LocalMethod>();
  private readonly running = new Set<LocalCall>();
  private callsThisTurn = 0;
  private stopped = false;
  private wake: (() => void) | undefined;
  /** Handlers run as if the call had come from outside: in the service's context, not in the caller's. */
  private inServiceContext: <R>(run: () => R) => R = (run) => run();

  /** Takes note of what is added to the server from now on. */
  watch(server: Server): void {
    this.inServiceContext = AsyncLocalStorage.snapshot();
    const addService = server.addService.bind(server);
    server.addService = (service: ServiceDefinition, implementation: UntypedServiceImplementation) => {
      addService(service, implementation);
      this.add(service, implementation);
    };
  }

  /** @returns undefined for a method that is not unary, or not of a server of this process: it is called through its channel */
  call(path: string, request: unknown, options: LocalCallOptions): Promise<unknown> | undefined {
    const method = this.methods.get(path);
    return method && new LocalCall(this, method, options).answerTo(request);
  }

  mayBeginNow(): boolean {
    if (this.callsThisTurn === 0) setImmediate(() => (this.callsThisTurn = 0));
    this.callsThisTurn += 1;
    return this.callsThisTurn <= CALLS_A_TURN;
  }

  /** @returns false when no more calls are taken */
  begin(call: LocalCall, run: () => void): boolean {
    if (this.stopped) return false;
    this.running.add(call);
    this.inServiceContext(run);
    return true;
  }

  end(call: LocalCall): void {
    this.running.delete(call);
    if (this.running.size === 0) this.wake?.();
  }

  /** Takes no more calls, and cuts off those that run for longer than that. */
  async drain(graceMs: number): Promise<void> {
    this.stopped = true;
    if (this.running.size === 0) return;
    let late: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.wake = resolve;
      late = setTimeout(resolve, graceMs);
    });
    clearTimeout(late);
    for (const call of this.running) call.cutOff();
  }

  private add(service: ServiceDefinition, implementation: UntypedServiceImplementation): void {
    for (const [name, definition] of Object.entries(service)) {
      const handle = implementation[name] ?? implementation[definition.originalName ?? name];
      const { path } = definition;
      const messages = messagesOf(path);
      if (definition.requestStream || definition.responseStream || handle === undefined || messages === undefined) continue;
      this.methods.set(path, { path, messages, handle: handle.bind(implementation) as LocalMethod['handle'] });
    }
  }
}
