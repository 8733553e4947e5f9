import { applyDecorators, Get } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Open to anybody, without being an operation of the API. */
    isPublic?: boolean;
  }
}

/** A page or probe beside the API that needs no key. */
export const PublicPage = (path: string) => applyDecorators(Get(path), RouteConfig({ isPublic: true }));
