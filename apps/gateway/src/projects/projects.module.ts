import { Module } from '@nestjs/common';
import { KeysModule } from '../keys/keys.module.js';
import { ProjectStoreModule } from './project-store.module.js';
import { ProjectsController } from './projects.controller.js';

/** Parts of an account that keys are bound to. */
@Module({ imports: [KeysModule, ProjectStoreModule], controllers: [ProjectsController] })
export class ProjectsModule {}
