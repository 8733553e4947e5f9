import { Controller, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { InputOf } from '../http/request-input.js';
import { Input, Serves } from '../http/serves.js';
import type { Caller } from '../keys/authenticator.js';
import { CurrentCaller } from '../keys/current-caller.js';
import { createProject, deleteProject, getProject, listProjects, updateProject } from './project-operations.js';
import type { Project } from './project.js';
import { Projects } from './projects.js';

@Controller()
export class ProjectsController {
  constructor(@Inject(Projects) private readonly projects: Projects) {}

  @Serves(createProject)
  async create(@Input() { body }: InputOf<typeof createProject>, @CurrentCaller() { accountId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    const project = await this.projects.create(accountId, body.name);
    void reply.status(201).header('location', `/api/v1/projects/${project.id}`).send(projectJson(project));
  }

  @Serves(listProjects)
  async list(@Input() { query }: InputOf<typeof listProjects>, @CurrentCaller() { accountId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    const { items, nextCursor } = await this.projects.list(accountId, query);
    void reply.send({ data: items.map(({ document }) => projectJson(document)), next_cursor: nextCursor });
  }

  @Serves(getProject)
  async get(@Input() { params }: InputOf<typeof getProject>, @CurrentCaller() { accountId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    void reply.send(projectJson(await this.projects.get(accountId, params.project_id)));
  }

  @Serves(updateProject)
  async update(@Input() { params, body }: InputOf<typeof updateProject>, @CurrentCaller() { accountId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    void reply.send(projectJson(await this.projects.rename(accountId, params.project_id, body.name)));
  }

  @Serves(deleteProject)
  async delete(@Input() { params }: InputOf<typeof deleteProject>, @CurrentCaller() { accountId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    await this.projects.remove(accountId, params.project_id);
    void reply.status(204).send();
  }
}

const projectJson = ({ id, name, createdAt }: Project) => ({ project_id: id, name, created_at: createdAt });
