<?php

declare(strict_types=1);

namespace Parlance\Core;

use Parlance\Exception\ParlanceException;

/** One operation of the API. */
final class Request
{
    /**
     * @param string $path below `/api/v1`
     * @param array<string, scalar|list<scalar>|null> $query
     * @param array<string, mixed>|null $json sent as a JSON object
     * @param array<string, string|null> $headers
     * @param float $held seconds for which the server may hold the response
     */
    public function __construct(
        public readonly string $method,
        public readonly string $path,
        public readonly array $query = [],
        public readonly ?array $json = null,
        public readonly ?string $body = null,
        public readonly array $headers = [],
        public readonly float $held = 0.0,
    ) {
    }

    /**
     * A path of these parts, each encoded.
     *
     * @throws ParlanceException for a part that HTTP clients resolve, so that the request would be another one
     */
    public static function path(string ...$parts): string
    {
        foreach ($parts as $part) {
            if (in_array($part, ['', '.', '..'], true)) {
                throw new ParlanceException("\"{$part}\" is not an id.");
            }
        }
        return '/' . implode('/', array_map(rawurlencode(...), $parts));
    }

    public function content(): string
    {
        if ($this->json === null) {
            return $this->body ?? '';
        }
        return json_encode((object) $this->json, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_PRESERVE_ZERO_FRACTION);
    }

    public function queryString(): string
    {
        $pairs = [];
        foreach ($this->query as $name => $value) {
            foreach (is_array($value) ? $value : [$value] as $each) {
                if (is_scalar($each)) {
                    $pairs[] = rawurlencode($name) . '=' . rawurlencode(is_bool($each) ? ($each ? 'true' : 'false') : (string) $each);
                }
            }
        }
        return $pairs === [] ? '' : '?' . implode('&', $pairs);
    }
}
