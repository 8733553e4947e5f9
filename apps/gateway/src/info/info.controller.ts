import { Controller, Inject, Res } from '@nestjs/common';
import { CONFIG } from '@parlance/runtime';
import type { FastifyReply } from 'fastify';
import type { GatewayConfig } from '../gateway.config.js';
import type { InputOf } from '../http/request-input.js';
import { Input, Serves } from '../http/serves.js';
import { getServer, type ServerFeatures, type ServerLinks } from './info-operations.js';
import { API_VERSION, PRODUCT_VERSION } from './product-version.js';

@Controller()
export class InfoController {
  private readonly features: ServerFeatures;
  private readonly links: ServerLinks;

  constructor(@Inject(CONFIG) config: GatewayConfig) {
    this.features = featuresOf(config);
    this.links = linksFrom(config.PUBLIC_URL ?? '');
  }

  @Serves(getServer)
  get(@Input() _input: InputOf<typeof getServer>, @Res() reply: FastifyReply): void {
    void reply.send({ name: 'Parlance', version: PRODUCT_VERSION, api_version: API_VERSION, features: this.features, links: this.links });
  }
}

const featuresOf = ({ SIGNUP, CORS_ORIGINS, MEDIA_MAX_BYTES, UPLOAD_EXPIRY_HOURS }: GatewayConfig): ServerFeatures => ({
  sign_up: SIGNUP,
  cross_origin: CORS_ORIGINS.length > 0,
  max_media_bytes: MEDIA_MAX_BYTES,
  upload_expiry_hours: UPLOAD_EXPIRY_HOURS,
});

/** @param base the public address of the server, without a slash at its end */
const linksFrom = (base: string): ServerLinks => ({
  openapi: `${base}/openapi.json`,
  docs: `${base}/docs`,
  problems: `${base}/problems`,
  languages: `${base}/api/v1/languages`,
  models: `${base}/api/v1/models`,
  account: `${base}/api/v1/account`,
});
