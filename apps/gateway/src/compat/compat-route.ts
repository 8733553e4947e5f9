import { applyDecorators, Delete, Get, Post } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { Scope } from '../keys/scope.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The scope that a route of another vendor's API requires. Its handler keeps to the project of the key. */
    compatAccess?: Scope;
    /** True for a route whose clients cannot send a key: without one, it runs under ASR_ANONYMOUS_KEY. */
    compatKeyless?: boolean;
  }
}

const ROUTE = { GET: Get, POST: Post, DELETE: Delete } as const;

/** A route of another vendor's API. It is no operation of ours, and is described by that vendor. */
export const CompatRoute = (method: keyof typeof ROUTE, paths: string[], compatAccess: Scope, { keyless = false } = {}) => applyDecorators(ROUTE[method](paths), RouteConfig({ compatAccess, compatKeyless: keyless }));
