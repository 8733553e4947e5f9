<?php

declare(strict_types=1);

namespace Parlance\Test;

use GuzzleHttp\Client as GuzzleClient;
use PHPUnit\Framework\TestCase;
use Psr\Http\Client\ClientInterface;
use Symfony\Component\HttpClient\HttpClient;
use Symfony\Component\HttpClient\Psr18Client;
use Symfony\Contracts\HttpClient\HttpClientInterface;

/** The conformance suite of the SDKs, over each kind of HTTP client. */
final class ConformanceTest extends TestCase
{
    /** PSR-18 has no way to end a request, so that only the limits of the client itself do. */
    private const NEEDS_TIMEOUTS = [
        'a server that does not answer ends by the connect time-out',
        'the connect time-out is retried with the same Idempotency-Key',
        'a body that stalls ends by the read time-out',
        'the total time-out ends the call with its retries',
        'a time-out of a call overrides that of the client',
        'a call is canceled by its caller',
        'events that stall are resumed after the read time-out',
    ];

    /** On a connection that was used before, curl itself repeats a request that got no response. Only our adapters prevent that. */
    private const NEEDS_FRESH_CONNECTIONS = [
        'after a lost connection the upload continues where the server says',
        'a piece whose answer was lost is not sent again',
    ];

    private static ?FaultServer $server = null;

    public static function setUpBeforeClass(): void
    {
        self::$server = FaultServer::start();
    }

    public static function tearDownAfterClass(): void
    {
        self::$server?->stop();
    }

    /** @return \Generator<string, array{string, array<string, mixed>}> */
    public static function cases(): \Generator
    {
        $beyondPsr18 = [...self::NEEDS_TIMEOUTS, ...self::NEEDS_FRESH_CONNECTIONS];
        foreach (['symfony' => [], 'guzzle' => [], 'psr18' => $beyondPsr18] as $kind => $skipped) {
            foreach (FaultServer::cases() as $name => $case) {
                if (!in_array($name, $skipped, true)) {
                    yield "{$kind}: {$name}" => [$kind, $case];
                }
            }
        }
    }

    /**
     * @dataProvider cases
     * @param array<string, mixed> $case
     */
    public function testConformance(string $kind, array $case): void
    {
        ['run' => $run, 'base_url' => $baseUrl] = self::$server->begin($case['name']);
        $runner = new Runner($case, $baseUrl, self::clientOf($kind));
        [$result, $error] = [null, null];
        try {
            $result = $runner->run();
        } catch (\Throwable $thrown) {
            $error = $thrown;
        }
        self::assertSame([], self::$server->faults($run), (string) $error);
        self::assertStringNotContainsString(Runner::API_KEY, print_r($runner->client, true) . print_r($error, true) . $error . json_encode($error));
        if ($error !== null && !isset($case['error'])) {
            throw $error;
        }
        if (isset($case['error'])) {
            self::assertNotNull($error);
            self::assertError($case['error'], Runner::described($error), $case);
        }
        if (array_key_exists('result', $case)) {
            self::assertContainsAll($case['result'], $result);
        }
        self::assertSame($case['progress'] ?? [], $runner->progress);
    }

    /**
     * @param array<string, mixed> $expected
     * @param array<string, mixed> $described
     * @param array<string, mixed> $case
     */
    private static function assertError(array $expected, array $described, array $case): void
    {
        self::assertStringContainsString($expected['message_contains'] ?? '', $described['message']);
        if (isset($expected['idempotency_key'])) {
            // The server compares the keys of all requests of the case; this one has the form of ours, or is that of the caller.
            $given = $case['options']['idempotency_key'] ?? null;
            self::assertMatchesRegularExpression($given === null ? '/^[0-9a-f]{32}$/' : '/^' . $given . '$/', (string) $described['idempotency_key']);
        }
        self::assertContainsAll(array_diff_key($expected, ['message_contains' => 0, 'idempotency_key' => 0]), $described);
    }

    private static function assertContainsAll(mixed $expected, mixed $actual): void
    {
        if (is_array($expected) && array_keys($expected) === ['bytes'] && is_string($actual)) {
            self::assertSame($expected['bytes'], strlen($actual));
        } elseif (is_array($expected)) {
            self::assertIsArray($actual);
            if (array_is_list($expected)) {
                self::assertCount(count($expected), $actual);
            }
            foreach ($expected as $name => $value) {
                self::assertArrayHasKey($name, $actual);
                self::assertContainsAll($value, $actual[$name]);
            }
        } else {
            self::assertSame($expected, $actual);
        }
    }

    private static function clientOf(string $kind): ClientInterface|HttpClientInterface
    {
        return match ($kind) {
            'symfony' => HttpClient::create(),
            'guzzle' => new GuzzleClient(),
            'psr18' => new Psr18Client(HttpClient::create(['max_redirects' => 0])),
        };
    }
}
