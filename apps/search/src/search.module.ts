import { Inject, Module, type DynamicModule, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { ChatController } from './grpc/chat-controller.js';
import { SearchController } from './grpc/search-controller.js';
import type { SearchContext } from './search-context.js';
import { createParts, type SearchParts } from './search-parts.js';
import { CHAT, CONVERSATIONS, EMBEDDER, PARTS, SEARCH_INDEX, TRANSCRIPT_SEARCH } from './tokens.js';

@Module({})
export class SearchModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(@Inject(PARTS) private readonly parts: SearchParts) {}

  static from(context: SearchContext): DynamicModule {
    const part = (provide: symbol, name: keyof SearchParts) => ({ provide, useFactory: (parts: SearchParts) => parts[name], inject: [PARTS] });
    return {
      module: SearchModule,
      controllers: [SearchController, ChatController],
      providers: [
        { provide: PARTS, useFactory: () => createParts(context) },
        part(SEARCH_INDEX, 'index'),
        part(EMBEDDER, 'embedder'),
        part(TRANSCRIPT_SEARCH, 'search'),
        part(CHAT, 'chat'),
        part(CONVERSATIONS, 'conversations'),
      ],
    };
  }

  /** Not waited for: the database may come later than the service. */
  onApplicationBootstrap(): void {
    this.parts.renewal.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.parts.renewal.stop();
    await this.parts.index.close();
    await this.parts.embedder.close();
  }
}
