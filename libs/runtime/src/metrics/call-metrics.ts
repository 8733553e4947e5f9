import type { Metrics } from '@parlance/platform';
import { Histogram } from 'prom-client';

/** Calls that this process's gRPC servers answered: rate, errors, duration. */
export class CallMetrics {
  private readonly seconds: Histogram<'service' | 'method' | 'code'>;

  constructor(metrics: Metrics) {
    this.seconds = new Histogram({
      name: 'parlance_grpc_request_duration_seconds',
      help: 'Time from a gRPC call to the end of its response, by service, method and status',
      labelNames: ['service', 'method', 'code'],
      buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30],
      registers: [metrics],
    });
  }

  /** @returns a function to call at the end of the answer */
  begin(service: string, method: string): (code: string) => void {
    const end = this.seconds.startTimer({ service, method });
    return (code) => void end({ code });
  }
}
