import { configurationReference } from './configuration-reference.js';
import { manifests } from './manifests.js';

process.stdout.write(configurationReference(manifests));
