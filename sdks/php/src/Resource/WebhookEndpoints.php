<?php

declare(strict_types=1);

namespace Parlance\Resource;

use Parlance\CallOptions;
use Parlance\Core\Request;
use Parlance\Core\Transport;
use Parlance\Generated\Types;
use Parlance\Pages;

/**
 * The endpoints of the account that receive webhooks.
 *
 * @phpstan-import-type NewWebhookEndpoint from Types
 * @phpstan-import-type CreatedWebhookEndpoint from Types
 * @phpstan-import-type WebhookEndpoint from Types
 */
final class WebhookEndpoints
{
    public function __construct(private readonly Transport $transport)
    {
    }

    /**
     * The answer has the `secret` of the endpoint.
     *
     * @param NewWebhookEndpoint $endpoint
     * @return CreatedWebhookEndpoint
     */
    public function create(array $endpoint, ?CallOptions $options = null): array
    {
        /** @var CreatedWebhookEndpoint $answer */
        $answer = $this->transport->object(new Request('POST', '/webhook-endpoints', json: $endpoint), $options);
        return $answer;
    }

    /**
     * @return Pages<WebhookEndpoint>
     */
    public function list(?CallOptions $options = null): Pages
    {
        return new Pages(function (?string $cursor) use ($options): array {
            /** @var array{data: list<WebhookEndpoint>, next_cursor?: string|null, has_more?: bool} $page */
            $page = $this->transport->object(new Request('GET', '/webhook-endpoints', ['cursor' => $cursor]), $options);
            return $page;
        });
    }

    public function delete(string $endpointId, ?CallOptions $options = null): void
    {
        $this->transport->json(new Request('DELETE', Request::path('webhook-endpoints', $endpointId)), $options);
    }
}
