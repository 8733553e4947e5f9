import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { callerOf } from './key-guard.js';

/** The caller that the key guard has admitted. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext) => callerOf(context.switchToHttp().getRequest<FastifyRequest>()));
