<?php

declare(strict_types=1);

namespace Parlance\Resource;

use Parlance\CallOptions;
use Parlance\Core\Request;
use Parlance\Core\Transport;
use Parlance\Exception\WebhookVerificationException;
use Parlance\Generated\Types;
use Parlance\WebhookVerifier;

/**
 * Webhooks and their secrets.
 *
 * @phpstan-import-type WebhookEvent from Types
 * @phpstan-import-type WebhookSecret from Types
 */
final class Webhooks
{
    public readonly WebhookEndpoints $endpoints;

    public function __construct(private readonly Transport $transport)
    {
        $this->endpoints = new WebhookEndpoints($transport);
    }

    /**
     * Verifies a webhook and reads its body, as WebhookVerifier does.
     *
     * @param string|array{secret: string} $secret
     * @param array<string, string|list<string>> $headers
     * @return WebhookEvent
     * @throws WebhookVerificationException
     */
    public function verify(mixed $rawBody, array $headers, #[\SensitiveParameter] string|array $secret, float $tolerance = WebhookVerifier::TOLERANCE_SECONDS, ?float $now = null): array
    {
        return WebhookVerifier::verify($rawBody, $headers, $secret, $tolerance, $now);
    }

    /**
     * The secret of webhooks to a `callback_url`, in `secret`. `verify` takes the answer as it is.
     *
     * @return WebhookSecret
     */
    public function secret(?string $url = null, ?CallOptions $options = null): array
    {
        /** @var WebhookSecret $secret */
        $secret = $this->transport->object(new Request('GET', '/webhook-secret', ['url' => $url]), $options);
        return $secret;
    }
}
