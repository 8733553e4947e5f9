import { runService } from '@parlance/runtime/process';
import { manifest } from './service.js';

await runService(manifest);
