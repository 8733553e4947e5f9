import { InterceptingCall, status, type Interceptor, type StatusObject } from '@grpc/grpc-js';
import type { Logger } from '@parlance/platform';
import { isAppErrorStatus } from './grpc-errors.js';

/** Logs once why a service cannot be reached, and once that it is reachable again. The reason is for operators; callers do not get it. */
export function connectionLog(service: string, log: Logger): Interceptor {
  let away = false;
  const observe = ({ code, details, metadata }: StatusObject) => {
    const failed = code === status.UNAVAILABLE && !isAppErrorStatus(metadata);
    if (failed && !away) log.warn({ calling: service, reason: details }, 'a service cannot be reached');
    if (away && (code === status.OK || isAppErrorStatus(metadata))) log.info({ calling: service }, 'a service can be reached again');
    away = failed || (away && code !== status.OK && !isAppErrorStatus(metadata));
  };
  return (options, nextCall) =>
    new InterceptingCall(nextCall(options), {
      start(metadata, _listener, next) {
        next(metadata, {
          onReceiveStatus(received, pass) {
            observe(received);
            pass(received);
          },
        });
      },
    });
}
