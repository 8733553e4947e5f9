<?php

declare(strict_types=1);

namespace Parlance\Core;

use Parlance\CallOptions;
use Parlance\Exception\ApiException;
use Parlance\Exception\ParlanceException;
use Parlance\Http\HttpAdapter;
use Parlance\Http\IncomingResponse;
use Parlance\Http\OutgoingRequest;
use Parlance\Timeout;

/** Sends requests with credentials, time-outs, retries and errors. */
final class Transport
{
    private const API = '/api/v1';
    private const DEFAULT_BASE_URL = 'http://127.0.0.1:3000';

    /** A body has a second more for each of so many bytes. */
    private const BODY_BYTES_PER_SECOND = 32_000.0;

    public readonly string $baseUrl;
    private readonly Limits $limits;

    /** Its printed form does not have the key. */
    private readonly \SensitiveParameterValue $key;

    /** @param array<string, string> $defaultHeaders */
    public function __construct(
        ?string $baseUrl,
        #[\SensitiveParameter] ?string $apiKey,
        Timeout|float|null $timeout,
        private readonly int $maxRetries,
        private readonly array $defaultHeaders,
        private readonly HttpAdapter $http,
    ) {
        $given = rtrim($baseUrl ?? self::environment('PARLANCE_BASE_URL') ?? self::DEFAULT_BASE_URL, '/');
        $this->baseUrl = str_ends_with($given, self::API) ? substr($given, 0, -strlen(self::API)) : $given;
        $key = trim($apiKey ?? self::environment('PARLANCE_API_KEY') ?? '');
        // Otherwise the error of the HTTP client would have the key in its message.
        if (preg_match('/[^\x21-\x7e]/', $key) === 1) {
            throw new ParlanceException('The API key has characters that a header cannot have.');
        }
        $this->key = new \SensitiveParameterValue($key);
        $this->limits = (new Limits())->changed($timeout);
    }

    public static function newKey(): string
    {
        return bin2hex(random_bytes(16));
    }

    /** Retries after the first attempt. */
    public function maxRetriesOf(CallOptions $options): int
    {
        return $options->maxRetries ?? $this->maxRetries;
    }

    /** The value of a JSON answer; null where the answer has no body. */
    public function json(Request $request, ?CallOptions $options = null): mixed
    {
        return $this->retried($request, $options ?? new CallOptions(), false, static fn (IncomingResponse $response): mixed => Answer::read($response)->json());
    }

    /**
     * The value of a JSON answer that is an object.
     *
     * @return array<mixed>
     */
    public function object(Request $request, ?CallOptions $options = null): array
    {
        return $this->retried($request, $options ?? new CallOptions(), false, static fn (IncomingResponse $response): array => Answer::read($response)->object());
    }

    /** An answer of any media type. */
    public function answer(Request $request, ?CallOptions $options = null): Answer
    {
        return $this->retried($request, $options ?? new CallOptions(), false, Answer::read(...));
    }

    /** An answer that is read while it comes, and that its reader closes. Only its beginning is retried. */
    public function stream(Request $request, ?CallOptions $options = null): IncomingResponse
    {
        return $this->retried($request, $options ?? new CallOptions(), true, static fn (IncomingResponse $response): IncomingResponse => $response);
    }

    public function watch(CallOptions $options): Watch
    {
        return new Watch($this->limits->changed($options->timeout), $options->cancel);
    }

    /**
     * @template T
     * @param \Closure(IncomingResponse): T $read
     * @return T
     */
    private function retried(Request $request, CallOptions $options, bool $isStreamed, \Closure $read): mixed
    {
        $key = $request->method === 'POST' ? $options->idempotencyKey ?? self::newKey() : null;
        $watch = $this->watch($options);
        for ($attempts = 1; ; $attempts++) {
            try {
                return $this->once($request, $options, $key, $watch, $isStreamed, $read);
            } catch (ParlanceException $error) {
                $error->attempts = $attempts;
                $pause = $attempts <= $this->maxRetriesOf($options) ? Retries::pauseBefore($attempts - 1, $error) : null;
                if ($pause === null || !$watch->allows($pause)) {
                    throw $error->withKey($key);
                }
            }
            $watch->sleep($pause);
        }
    }

    /**
     * @template T
     * @param \Closure(IncomingResponse): T $read
     * @return T
     */
    private function once(Request $request, CallOptions $options, ?string $key, Watch $watch, bool $isStreamed, \Closure $read): mixed
    {
        $watch->awaitHead($this->connectSeconds($request, $this->limits->changed($options->timeout)));
        $watch->check();
        $response = $this->http->send($this->outgoing($request, $options, $key), $watch, $isStreamed);
        $watch->awaitBody();
        $isKept = false;
        try {
            // A redirect is not followed, as a POST would become a GET; and no answer of the API is HTML: a page comes from a proxy, also with status 200.
            if (($response->status() >= 300 && $response->status() !== 304) || stripos($response->headers()['content-type'] ?? '', 'text/html') === 0) {
                throw $this->refusal(Answer::read($response));
            }
            if ($isStreamed) {
                $watch->liftTotal();
            }
            $result = $read($response);
            $isKept = $isStreamed;
            return $result;
        } finally {
            if (!$isKept) {
                $response->close();
            }
        }
    }

    private function refusal(Answer $answer): ApiException
    {
        $error = $answer->error();
        return $error->status === 401 && $this->key->getValue() === '' ? $error->advise('No API key was sent: set PARLANCE_API_KEY, or pass apiKey.') : $error;
    }

    private function outgoing(Request $request, CallOptions $options, ?string $key): OutgoingRequest
    {
        /** @var string $apiKey */
        $apiKey = $this->key->getValue();
        $headers = [
            'accept' => 'application/json',
            ...array_change_key_case($this->defaultHeaders),
            'authorization' => $apiKey === '' ? null : "Bearer {$apiKey}",
            'content-type' => $request->json === null ? null : 'application/json',
            'idempotency-key' => $key,
            ...$request->headers,
            ...array_change_key_case($options->headers),
        ];
        $url = $this->baseUrl . self::API . $request->path . $request->queryString();
        return new OutgoingRequest($request->method, $url, array_filter($headers, static fn (?string $value): bool => $value !== null), $request->content());
    }

    private static function environment(string $name): ?string
    {
        $value = getenv($name);
        return $value === false || $value === '' ? null : $value;
    }

    private function connectSeconds(Request $request, Limits $limits): float
    {
        return $limits->connect === 0.0 ? 0.0 : $limits->connect + $request->held + (float) strlen($request->content()) / self::BODY_BYTES_PER_SECOND;
    }
}
