<?php

declare(strict_types=1);

namespace Parlance\Http;

use Parlance\Core\Watch;
use Symfony\Contracts\HttpClient\Exception\TransportExceptionInterface;
use Symfony\Contracts\HttpClient\HttpClientInterface;
use Symfony\Contracts\HttpClient\ResponseInterface;

/** A response of Symfony's HTTP client. */
final class SymfonyResponse implements IncomingResponse
{
    private bool $hasEnded = false;

    public function __construct(
        private readonly HttpClientInterface $client,
        private readonly ResponseInterface $response,
        private readonly Watch $watch,
    ) {
    }

    public function awaitHead(): void
    {
        $this->next(true);
    }

    public function status(): int
    {
        return $this->response->getStatusCode();
    }

    public function headers(): array
    {
        $headers = [];
        foreach ($this->response->getHeaders(false) as $name => $values) {
            $headers[(string) $name] = implode(', ', $values);
        }
        return $headers;
    }

    public function read(): ?string
    {
        $piece = $this->hasEnded ? null : $this->next(false);
        $this->watch->awaitBody();
        return $piece;
    }

    public function close(): void
    {
        $this->response->cancel();
    }

    /** The next piece of the body or null at its end; for the head an empty one. */
    private function next(bool $isHead): ?string
    {
        try {
            while (true) {
                $this->watch->check();
                foreach ($this->client->stream($this->response, $this->watch->slice()) as $chunk) {
                    if ($chunk->isTimeout()) {
                        break;
                    }
                    if ($chunk->isFirst()) {
                        // Otherwise the client throws an error of its own at the end.
                        $this->response->getStatusCode();
                        if ($isHead) {
                            return '';
                        }
                    }
                    if ($chunk->isLast()) {
                        $this->hasEnded = true;
                        return null;
                    }
                    if ($chunk->getContent() !== '') {
                        return $chunk->getContent();
                    }
                }
            }
        } catch (TransportExceptionInterface $error) {
            throw Failure::of($error, $this->watch);
        }
    }
}
