<?php

declare(strict_types=1);

namespace Parlance\Test;

use Parlance\CallOptions;
use Parlance\Client;
use Parlance\Exception\ApiException;
use Parlance\Exception\CanceledException;
use Parlance\Exception\ConnectionException;
use Parlance\Exception\JobFailedException;
use Parlance\Exception\ParlanceException;
use Parlance\Exception\TimeoutException;
use Parlance\Exception\UnexpectedResponseException;
use Parlance\Exception\WebhookVerificationException;
use Parlance\File;
use Parlance\Timeout;
use Psr\Http\Client\ClientInterface;
use Symfony\Contracts\HttpClient\HttpClientInterface;

/** Makes the call of a case, and describes how it ended. */
final class Runner
{
    public const API_KEY = 'pl_conformance';

    private const TYPES = [
        'unexpected_response' => UnexpectedResponseException::class,
        'api' => ApiException::class,
        'connection' => ConnectionException::class,
        'timeout' => TimeoutException::class,
        'job_failed' => JobFailedException::class,
        'webhook_verification' => WebhookVerificationException::class,
        'canceled' => CanceledException::class,
        'argument' => ParlanceException::class,
    ];
    private const CHUNK_BYTES = 65_000;

    public readonly Client $client;

    /** @var list<int|float> */
    public array $progress = [];

    /** @param array<string, mixed> $case */
    public function __construct(private readonly array $case, string $baseUrl, ClientInterface|HttpClientInterface $httpClient)
    {
        $given = $case['client'] ?? [];
        $this->client = new Client(
            $baseUrl . ($given['base_url_suffix'] ?? ''),
            $given['api_key'] ?? self::API_KEY,
            self::timeout($given['timeout'] ?? null),
            $given['max_retries'] ?? 2,
            $given['default_headers'] ?? [],
            $httpClient,
        );
    }

    public function run(): mixed
    {
        $result = $this->call();
        if (!$result instanceof \Traversable) {
            return $result;
        }
        $items = [];
        foreach ($result as $item) {
            $items[] = $item;
            if (count($items) === ($this->case['options']['take'] ?? null)) {
                break;
            }
        }
        return $items;
    }

    /** @return array<string, mixed> */
    public static function described(\Throwable $error): array
    {
        $type = get_debug_type($error);
        foreach (self::TYPES as $name => $class) {
            if ($error instanceof $class) {
                $type = $name;
                break;
            }
        }
        return [
            'type' => $type,
            'message' => $error->getMessage(),
            'retryable' => $error instanceof ParlanceException ? $error->retryable : null,
            'attempts' => $error->attempts ?? null,
            'idempotency_key' => $error->idempotencyKey ?? null,
            'status' => $error->status ?? null,
            'code' => $error->errorCode ?? null,
            'request_id' => $error->requestId ?? null,
            'problem' => $error->problem ?? null,
            'excerpt' => $error->excerpt ?? null,
            'phase' => $error instanceof TimeoutException ? $error->phase->value : null,
            'job_id' => $error->jobId ?? null,
        ];
    }

    private function call(): mixed
    {
        [$params, $given] = [$this->case['params'], $this->case['options'] ?? []];
        $options = $this->options($given);
        $progress = isset($given['progress']) ? function (mixed $news): void {
            $this->progress[] = is_array($news) ? $news['progress']['percent'] : $news;
        } : null;
        $client = $this->client;
        $job = static fn (string ...$names): array => array_diff_key($params, array_flip($names));
        return match ($this->case['call']) {
            'transcriptions.create' => $client->transcriptions->create($job('file', 'file_name'), self::file($params), $params['file_name'] ?? null, options: $options),
            'transcriptions.transcribe' => $client->transcriptions->transcribe($job('file', 'file_name'), self::file($params), options: $options),
            'transcriptions.wait' => $client->transcriptions->wait($params['job_id'], ($given['timeout'] ?? 3_600_000) / 1000, $given['until'] ?? 'terminal', $progress, $options),
            'transcriptions.get' => $client->transcriptions->get($params['job_id'], $job('job_id'), $options),
            'transcriptions.list' => $client->transcriptions->list($params, $options),
            'transcriptions.delete' => $client->transcriptions->delete($params['job_id'], $options),
            'transcriptions.cancel' => $client->transcriptions->cancel($params['job_id'], $options),
            'transcriptions.export' => $client->transcriptions->export($params['job_id'], $params['format'], $job('job_id', 'format'), $options),
            'transcriptions.events' => $client->transcriptions->events($params['job_id'], $given['last_event_id'] ?? null, $options),
            'uploads.create' => $client->uploads->create(self::file($params), $given['file_name'] ?? null, $progress, $options),
            'uploads.get' => $client->uploads->get($params['upload_id'], $options),
            'uploads.delete' => $client->uploads->delete($params['upload_id'], $options),
            'speakers.list' => $client->speakers->list($params['job_id'], $options),
            'speakers.rename' => $client->speakers->rename($params['job_id'], $params['speaker_id'], $params['name'], $options),
            'summaries.create' => $client->summaries->create($params['job_id'], $job('job_id'), $options),
            'summaries.get' => $client->summaries->get($params['job_id'], $params['summary_id'], $job('job_id', 'summary_id'), $options),
            'chat.ask' => $client->chat->ask($params, $options),
            'chat.stream' => $client->chat->stream($params, $options),
            'search' => $client->search($params, $options),
            'events' => $client->events($params, $options),
            'usage' => $client->usage($params, $options),
            'webhooks.verify' => $client->webhooks->verify($params['body'], $params['headers'], $params['secret'], now: (float) $params['now']),
        };
    }

    /** @param array<string, mixed> $given */
    private function options(array $given): CallOptions
    {
        $cancelsAt = isset($given['cancel_after']) ? microtime(true) + $given['cancel_after'] / 1000 : null;
        return new CallOptions(
            // The time-out of a wait is that of the wait itself.
            $this->case['call'] === 'transcriptions.wait' ? null : self::timeout($given['timeout'] ?? null),
            $given['max_retries'] ?? null,
            $given['idempotency_key'] ?? null,
            $given['headers'] ?? [],
            $cancelsAt === null ? null : static fn (): bool => microtime(true) > $cancelsAt,
        );
    }

    /** @param array<string, int>|int|null $given milliseconds */
    private static function timeout(array|int|null $given): Timeout|float|null
    {
        return is_array($given) ? new Timeout(...array_map(static fn (int $each): float => $each / 1000, $given)) : ($given === null ? null : $given / 1000);
    }

    /** @param array<string, mixed> $params */
    private static function file(array $params): mixed
    {
        if (!isset($params['file'])) {
            return null;
        }
        ['pattern' => $length, 'as' => $kind] = $params['file'];
        $content = substr(str_repeat(implode('', array_map(chr(...), range(0, 250))), intdiv($length, 251) + 1), 0, $length);
        $chunks = str_split($content, self::CHUNK_BYTES);
        return match ($kind) {
            'bytes' => File::fromString($content),
            'path' => self::written($content, $params['file']['name'] ?? 'file'),
            'stream' => self::streamOf($content),
            'sized_stream' => (new \Nyholm\Psr7\Factory\Psr17Factory())->createStream($content),
            'iterable' => (static fn (): \Generator => yield from $chunks)(),
        };
    }

    private static function written(string $content, string $name): string
    {
        $folder = sys_get_temp_dir() . '/parlance-' . bin2hex(random_bytes(6));
        mkdir($folder);
        file_put_contents("{$folder}/{$name}", $content);
        return "{$folder}/{$name}";
    }

    /** @return resource a pipe, which cannot be rewound */
    private static function streamOf(string $content): mixed
    {
        $process = popen('cat ' . escapeshellarg(self::written($content, 'piped')), 'r');
        return $process !== false ? $process : throw new \RuntimeException('No pipe can be made.');
    }
}
