import { Catch, type ArgumentsHost, type RpcExceptionFilter } from '@nestjs/common';
import { toAppError, toGrpcError, type Logger } from '@parlance/platform';
import { throwError, type Observable } from 'rxjs';

/** The gRPC edge's one mapper of errors; what is unexpected is logged with its cause. */
@Catch()
export class GrpcExceptionFilter implements RpcExceptionFilter<unknown> {
  constructor(private readonly log: Logger) {}

  catch(thrown: unknown, _host: ArgumentsHost): Observable<never> {
    const error = toAppError(thrown);
    if (error.kind === 'internal') this.log.error({ err: error.cause ?? error }, 'gRPC call failed');
    return throwError(() => toGrpcError(error));
  }
}
