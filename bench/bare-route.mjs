// The baseline of the accepted jobs: one Nest + Fastify route that parses JSON and answers 202. A program of its own.
import 'reflect-metadata';
import { Controller, HttpCode, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';

class Jobs {
  create() {
    return { job_id: 'job_1', status: 'queued' };
  }
}
Controller('transcriptions')(Jobs);
const create = Object.getOwnPropertyDescriptor(Jobs.prototype, 'create');
Post()(Jobs.prototype, 'create', create);
HttpCode(202)(Jobs.prototype, 'create', create);

class Root {}
Module({ controllers: [Jobs] })(Root);

const app = await NestFactory.create(Root, new FastifyAdapter(), { logger: false });
await app.listen(0, '127.0.0.1');
process.send({ url: `${await app.getUrl()}/transcriptions` });
