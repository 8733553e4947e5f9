import { applyDecorators, createParamDecorator, HttpCode, RequestMapping, RequestMethod, UseInterceptors, type ExecutionContext } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { RepeatInterceptor } from '../idempotency/repeat.interceptor.js';
import { SealedInterceptor } from '../transcriptions/sealed.interceptor.js';
import { repeatsOf, type Operation } from './operation.js';
import { readInput, readQuery, type InputOf } from './request-input.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: Operation;
  }
}

/** The status that it answers with when all goes well; Nest's own for a POST is 201, whatever it does. */
const statusOf = ({ answers }: Operation): number => Math.min(...Object.keys(answers).map(Number));

const isOfJob = ({ path }: Operation): boolean => path.includes('{job_id}');

/** A handler takes the input of its operation first, by `@Input()`, or the request, when it reads the input itself. */
type Handler<O extends Operation> = ((input: InputOf<O>, ...rest: never[]) => unknown) | ((request: FastifyRequest, ...rest: never[]) => unknown);

/** Makes a controller's method the handler of the operation. An input of another type than the operation's is a compile error. */
export const Serves = <O extends Operation>(operation: O): (<H extends Handler<O>>(target: object, name: string | symbol, descriptor: TypedPropertyDescriptor<H>) => void) =>
  applyDecorators(
    RequestMapping({ path: operation.path.replace(/\{(\w+)\}/g, ':$1'), method: RequestMethod[operation.method] }),
    HttpCode(statusOf(operation)),
    RouteConfig({ operation }),
    ...(isOfJob(operation) && !operation.isForSealed ? [UseInterceptors(SealedInterceptor)] : []),
    ...(repeatsOf(operation).by === 'kept' ? [UseInterceptors(RepeatInterceptor)] : []),
  );

/** Path, query and JSON body of the request, valid as the operation of the handler defines them. The guards have run before. */
export const Input = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  const { operation } = request.routeOptions.config;
  if (!operation) throw new Error('@Input() needs @Serves() on the handler.');
  return operation.method === 'GET' ? readQuery(operation, request) : readInput(operation, request);
});
