import { Module } from '@nestjs/common';
import { UploadsModule } from '../uploads/uploads.module.js';
import { UsageModule } from '../usage/usage.module.js';
import { AccountStoreModule } from './account-store.module.js';
import { AccountController } from './account.controller.js';

@Module({ imports: [AccountStoreModule, UploadsModule, UsageModule], controllers: [AccountController] })
export class AccountsModule {}
