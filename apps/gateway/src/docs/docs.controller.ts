import { Controller, Module, Param, Req, Res } from '@nestjs/common';
import { notFound } from '@parlance/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CONSOLE_POLICY, CONSOLE_SCRIPT, CONSOLE_STYLE, consolePage } from '../console/console-page.js';
import { LIVE_PAGE, LIVE_PERMISSIONS, LIVE_SCRIPTS, livePolicy } from '../console/live-page.js';
import { PublicPage } from '../http/public-page.js';
import { apiDescription } from './api-description.js';
import { sendPage } from './html-page.js';
import { PROBLEM_INDEX, problemPage } from './problem-pages.js';
import { DOCS_PAGE, DOCS_POLICY, DOCS_SCRIPT, SWAGGER_UI_FILES } from './swagger-ui.js';

/** Serves the pages beside the API. */
@Controller()
class DocsController {
  @PublicPage('/')
  start(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    sendPage(reply, consolePage(request.protocol, request.host), CONSOLE_POLICY);
  }

  @PublicPage('/console.js')
  consoleScript(@Res() reply: FastifyReply): void {
    void reply.type('text/javascript; charset=utf-8').send(CONSOLE_SCRIPT);
  }

  @PublicPage('/console.css')
  consoleStyle(@Res() reply: FastifyReply): void {
    void reply.type('text/css; charset=utf-8').send(CONSOLE_STYLE);
  }

  @PublicPage('/live')
  live(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    sendPage(reply, LIVE_PAGE, livePolicy(request.host), LIVE_PERMISSIONS);
  }

  @PublicPage('/console/:file')
  liveScript(@Param('file') file: string, @Res() reply: FastifyReply): void {
    const script = LIVE_SCRIPTS.get(file);
    if (script === undefined) throw notFound('The page');
    void reply.type('text/javascript; charset=utf-8').send(script);
  }

  @PublicPage('/openapi.json')
  async description(@Res() reply: FastifyReply): Promise<void> {
    const description = await apiDescription();
    void reply.headers({ 'content-type': 'application/json; charset=utf-8', 'access-control-allow-origin': '*' }).send(description);
  }

  @PublicPage('/docs')
  docs(@Res() reply: FastifyReply): void {
    sendPage(reply, DOCS_PAGE, DOCS_POLICY);
  }

  @PublicPage('/docs/start.js')
  script(@Res() reply: FastifyReply): void {
    void reply.type('text/javascript; charset=utf-8').send(DOCS_SCRIPT);
  }

  @PublicPage('/docs/:file')
  file(@Param('file') file: string, @Res() reply: FastifyReply): void {
    if (!SWAGGER_UI_FILES.has(file)) throw notFound('The page');
    void reply.sendFile(file);
  }

  @PublicPage('/problems')
  problems(@Res() reply: FastifyReply): void {
    sendPage(reply, PROBLEM_INDEX);
  }

  @PublicPage('/problems/:code')
  problem(@Param('code') code: string, @Res() reply: FastifyReply): void {
    const page = problemPage(code);
    if (page === undefined) throw notFound('The page');
    sendPage(reply, page);
  }
}

@Module({ controllers: [DocsController] })
export class DocsModule {}
