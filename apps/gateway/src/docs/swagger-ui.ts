import { createRequire } from 'node:module';
import { dirname } from 'node:path';

/** Swagger UI as it is installed here: the page works without any other server. */
export const SWAGGER_UI_FOLDER = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

export const SWAGGER_UI_FILES: ReadonlySet<string> = new Set(['swagger-ui.css', 'swagger-ui-bundle.js']);

export const DOCS_SCRIPT = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#docs', deepLinking: true, validatorUrl: null, tryItOutEnabled: true });\n`;

export const DOCS_PAGE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Parlance API</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/docs/swagger-ui.css"></head>
<body><div id="docs"></div><script src="/docs/swagger-ui-bundle.js"></script><script src="/docs/start.js"></script></body></html>
`;

/** Swagger UI sets styles of its own and draws icons from data URLs. */
export const DOCS_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
