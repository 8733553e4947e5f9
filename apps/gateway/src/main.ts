import { runService } from '@parlance/runtime';
import { manifest } from './service.js';

await runService(manifest);
