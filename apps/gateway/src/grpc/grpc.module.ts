import { Module } from '@nestjs/common';
import { AccountStoreModule } from '../accounts/account-store.module.js';
import { LiveStoreModule } from '../live/session/live-store.module.js';
import { UploadsModule } from '../uploads/uploads.module.js';
import { UsageModule } from '../usage/usage.module.js';
import { AccountRpcController } from './account-rpc.controller.js';
import { UsageRpcController } from './usage-rpc.controller.js';

/** The methods that the gateway serves to other services. */
@Module({ imports: [AccountStoreModule, LiveStoreModule, UploadsModule, UsageModule], controllers: [AccountRpcController, UsageRpcController] })
export class GrpcModule {}
