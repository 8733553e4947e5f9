import { z } from 'zod';
import { defineOperation } from '../http/operation.js';
import { noParams, noQuery, pageOf, pageQuery, projectId, time } from '../http/schema.js';

const TAG = 'Keys';
const PATH = '/api/v1/projects';

const name = z.string().trim().min(1).max(100).meta({ description: 'A name for people.' });

const projectSchema = z.object({ project_id: projectId, name, created_at: time }).meta({ id: 'Project', description: 'A part of the account with jobs of its own.' });

const params = z.object({ project_id: projectId });
const body = { schema: z.strictObject({ name }).meta({ id: 'ProjectName', description: 'The name of a project.' }) };

export const createProject = defineOperation({
  id: 'createProject',
  method: 'POST',
  path: PATH,
  tag: TAG,
  summary: 'Create a project',
  access: 'keys',
  params: noParams,
  query: noQuery,
  body,
  answers: { 201: { description: 'The project.', schema: projectSchema, headers: { Location: 'The project.' } } },
  problems: ['unknown_field', 'invalid_state'],
});

export const listProjects = defineOperation({
  id: 'listProjects',
  method: 'GET',
  path: PATH,
  tag: TAG,
  summary: 'List the projects, newest first',
  access: 'keys',
  params: noParams,
  query: z.strictObject(pageQuery),
  answers: { 200: { description: 'One page.', schema: pageOf(projectSchema) } },
  problems: ['unknown_field', 'invalid_cursor'],
});

export const getProject = defineOperation({
  id: 'getProject',
  method: 'GET',
  path: `${PATH}/{project_id}`,
  tag: TAG,
  summary: 'Get a project',
  access: 'keys',
  params,
  query: noQuery,
  answers: { 200: { description: 'The project.', schema: projectSchema } },
  problems: ['unknown_field', 'not_found'],
});

export const updateProject = defineOperation({
  id: 'updateProject',
  method: 'PATCH',
  path: `${PATH}/{project_id}`,
  tag: TAG,
  summary: 'Rename a project',
  access: 'keys',
  params,
  query: noQuery,
  body,
  answers: { 200: { description: 'The project.', schema: projectSchema } },
  problems: ['unknown_field', 'not_found'],
});

export const deleteProject = defineOperation({
  id: 'deleteProject',
  method: 'DELETE',
  path: `${PATH}/{project_id}`,
  tag: TAG,
  summary: 'Delete a project without jobs and keys',
  access: 'keys',
  params,
  query: noQuery,
  answers: { 204: { description: 'The project is deleted.' } },
  problems: ['unknown_field', 'not_found', 'project_in_use'],
});
