<?php

declare(strict_types=1);

namespace Parlance;

use Parlance\Core\Request;
use Parlance\Core\Transport;
use Parlance\Generated\Types;
use Parlance\Http\Discovery;
use Parlance\Resource\Chat;
use Parlance\Resource\Speakers;
use Parlance\Resource\Summaries;
use Parlance\Resource\Transcriptions;
use Parlance\Resource\Uploads;
use Parlance\Resource\Webhooks;
use Psr\Http\Client\ClientInterface;
use Symfony\Contracts\HttpClient\HttpClientInterface;

/**
 * A client of one server and one key.
 *
 * @phpstan-import-type SearchTranscriptsQuery from Types
 * @phpstan-import-type SearchHit from Types
 * @phpstan-import-type ListEventsQuery from Types
 * @phpstan-import-type WebhookEvent from Types
 * @phpstan-import-type GetUsageQuery from Types
 * @phpstan-import-type Usage from Types
 */
final class Client
{
    public readonly Transcriptions $transcriptions;
    public readonly Uploads $uploads;
    public readonly Speakers $speakers;
    public readonly Summaries $summaries;
    public readonly Chat $chat;
    public readonly Webhooks $webhooks;
    private readonly Transport $transport;

    /**
     * @param string|null $baseUrl otherwise `PARLANCE_BASE_URL`, or http://127.0.0.1:3000
     * @param string|null $apiKey otherwise `PARLANCE_API_KEY`
     * @param Timeout|float|null $timeout a number is the total
     * @param array<string, string> $defaultHeaders
     * @param ClientInterface|HttpClientInterface|null $httpClient otherwise the one that is installed
     */
    public function __construct(
        ?string $baseUrl = null,
        #[\SensitiveParameter] ?string $apiKey = null,
        Timeout|float|null $timeout = null,
        int $maxRetries = 2,
        array $defaultHeaders = [],
        ClientInterface|HttpClientInterface|null $httpClient = null,
    ) {
        $transport = new Transport($baseUrl, $apiKey, $timeout, $maxRetries, $defaultHeaders, Discovery::adapterOf($httpClient));
        $this->transport = $transport;
        $this->uploads = new Uploads($transport);
        $this->transcriptions = new Transcriptions($transport, $this->uploads);
        $this->speakers = new Speakers($transport);
        $this->summaries = new Summaries($transport);
        $this->chat = new Chat($transport);
        $this->webhooks = new Webhooks($transport);
    }

    /**
     * Finds passages by words and by meaning.
     *
     * @param SearchTranscriptsQuery $query
     * @return Pages<SearchHit>
     */
    public function search(array $query, ?CallOptions $options = null): Pages
    {
        return new Pages(function (?string $cursor) use ($query, $options): array {
            /** @var array{data: list<SearchHit>, next_cursor: string|null} $page */
            $page = $this->transport->object(new Request('GET', '/search', [...$query, ...($cursor === null ? [] : ['cursor' => $cursor])]), $options);
            return $page;
        });
    }

    /**
     * Events of the jobs of the account in the last 30 days, as in webhooks.
     *
     * @param ListEventsQuery $query
     * @return Pages<WebhookEvent>
     */
    public function events(array $query = [], ?CallOptions $options = null): Pages
    {
        return new Pages(function (?string $cursor) use ($query, $options): array {
            /** @var array{data: list<WebhookEvent>, next_cursor: string|null, has_more: bool} $page */
            $page = $this->transport->object(new Request('GET', '/events', [...$query, ...($cursor === null ? [] : ['after' => $cursor])]), $options);
            return $page;
        });
    }

    /**
     * Seconds that the account has transcribed.
     *
     * @param GetUsageQuery $query
     * @return Usage
     */
    public function usage(array $query = [], ?CallOptions $options = null): array
    {
        /** @var Usage $usage */
        $usage = $this->transport->object(new Request('GET', '/usage', $query), $options);
        return $usage;
    }

    /**
     * Performs any other operation, with the same credentials, retries and errors: request('GET', '/languages').
     *
     * @param string $path below `/api/v1`
     * @param array<string, scalar|list<scalar>|null> $query
     * @param array<string, mixed>|null $json
     */
    public function request(string $method, string $path, array $query = [], ?array $json = null, ?CallOptions $options = null): mixed
    {
        return $this->transport->json(new Request($method, $path, $query, $json), $options);
    }
}
