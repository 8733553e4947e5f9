import type { FastifyReply } from 'fastify';

/** Adds the name of a request header on which the answer depends, beside those that it depends on already. */
export function addVary(reply: FastifyReply, name: string): void {
  const given = reply.getHeader('vary');
  reply.header('vary', typeof given === 'string' ? `${given}, ${name}` : name);
}
