// The baseline of reading jobs: a Nest + Fastify route each for one job and a list, which answer with the JSON they are given. A program of its own.
import 'reflect-metadata';
import { once } from 'node:events';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';

const [{ job, list }] = await once(process, 'message');

class Jobs {
  get() {
    return job;
  }
  list() {
    return list;
  }
}
Controller('transcriptions')(Jobs);
const routes = { get: ':job_id', list: '' };
for (const [name, path] of Object.entries(routes)) Get(path)(Jobs.prototype, name, Object.getOwnPropertyDescriptor(Jobs.prototype, name));

class Root {}
Module({ controllers: [Jobs] })(Root);

const app = await NestFactory.create(Root, new FastifyAdapter(), { logger: false });
await app.listen(0, '127.0.0.1');
process.send({ url: await app.getUrl() });
