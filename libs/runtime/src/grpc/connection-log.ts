import { InterceptingCall, status, type Interceptor, type StatusObject } from '@grpc/grpc-js';
import { isAppErrorStatus, type Logger } from '@parlance/platform';

/** Tells operators why a service cannot be reached, in one line, and in another that it is there again; callers hear no reasons. */
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
