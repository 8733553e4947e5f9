<?php

declare(strict_types=1);

namespace Parlance\Exception;

/** The answer is not one of Parlance, for instance the HTML page of a proxy. Check the base URL and the proxies in front of the server. */
final class UnexpectedResponseException extends ApiException
{
    /**
     * @param array<string, string> $headers
     * @param string $excerpt the beginning of the body
     */
    public function __construct(int $status, array $headers, public readonly string $excerpt)
    {
        $kind = $headers['content-type'] ?? 'no content type';
        $message = "The answer (status {$status}, {$kind}) is not one of Parlance. Check the base URL and the proxies in front of the server.";
        parent::__construct($status, null, $headers, $message);
    }
}
