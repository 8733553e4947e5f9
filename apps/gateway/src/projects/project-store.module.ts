import { Module } from '@nestjs/common';
import { AccountStoreModule } from '../accounts/account-store.module.js';
import { Projects } from './projects.js';

@Module({ imports: [AccountStoreModule], providers: [Projects], exports: [Projects] })
export class ProjectStoreModule {}
