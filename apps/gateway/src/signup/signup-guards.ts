import { Inject, Injectable, type CallHandler, type CanActivate, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { toAppError, type ErrorKind } from '@parlance/platform';
import type { FastifyRequest } from 'fastify';
import { catchError, finalize, type Observable } from 'rxjs';
import { addressOf } from '../http/request-address.js';
import { WrongCodes } from '../keys/wrong-keys.js';
import { Signup } from './signup.js';

const addressIn = (context: ExecutionContext): string => addressOf(context.switchToHttp().getRequest<FastifyRequest>());

/** Admits a sign-up within the limits of its address, before its body is read. */
@Injectable()
export class SignupGuard implements CanActivate {
  constructor(@Inject(Signup) private readonly signup: Signup) {}

  async canActivate(context: ExecutionContext): Promise<true> {
    await this.signup.admit(addressIn(context));
    return true;
  }
}

/** Refuses codes while sign-up is closed, before their body is read. */
@Injectable()
export class VerificationGuard implements CanActivate {
  constructor(@Inject(Signup) private readonly signup: Signup) {}

  canActivate(): true {
    this.signup.requireOpen();
    return true;
  }
}

/** A body that cannot be used counts as a wrong code does: each costs work without a key. */
const REFUSALS: ReadonlySet<ErrorKind> = new Set(['invalid', 'too_large', 'unsupported_media']);

/** Takes a try of the address before its code is looked at, and gives it back when the code was not wrong. */
@Injectable()
export class WrongCodeLimit implements NestInterceptor {
  constructor(@Inject(WrongCodes) private readonly wrongCodes: Pick<WrongCodes, 'take'>) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const end = this.wrongCodes.take(addressIn(context));
    let wasWrong = false;
    return next.handle().pipe(
      catchError((error: unknown) => {
        wasWrong = REFUSALS.has(toAppError(error).kind);
        throw error;
      }),
      finalize(() => end(wasWrong)),
    );
  }
}
