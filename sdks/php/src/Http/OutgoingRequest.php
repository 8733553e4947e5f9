<?php

declare(strict_types=1);

namespace Parlance\Http;

/** A request as it is sent. */
final class OutgoingRequest
{
    /** @param array<string, string> $headers by their names in lower case */
    public function __construct(
        public readonly string $method,
        public readonly string $url,
        #[\SensitiveParameter] public readonly array $headers,
        public readonly string $body,
    ) {
    }
}
