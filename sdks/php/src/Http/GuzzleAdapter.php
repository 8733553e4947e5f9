<?php

declare(strict_types=1);

namespace Parlance\Http;

use GuzzleHttp\Client;
use GuzzleHttp\ClientInterface;
use GuzzleHttp\Exception\GuzzleException;
use GuzzleHttp\Psr7\Request;
use Parlance\Core\Watch;

/** Guzzle: with curl, time-outs and cancellation are looked at once a second. Streams use its stream handler, since its curl handler buffers. */
final class GuzzleAdapter implements HttpAdapter
{
    public function __construct(private readonly ClientInterface $client)
    {
    }

    public function send(#[\SensitiveParameter] OutgoingRequest $request, Watch $watch, bool $isStreamed): IncomingResponse
    {
        $options = ['http_errors' => false, 'allow_redirects' => false];
        try {
            $sent = new Request($request->method, $request->url, $request->headers, $request->body);
            $response = $this->client->send($sent, $options + ($isStreamed || !extension_loaded('curl') ? $this->streamOptions($watch) : $this->curlOptions($watch)));
        } catch (GuzzleException $error) {
            throw Failure::of($error, $watch);
        }
        return new PsrResponse($response, $watch);
    }

    /** @return array<string, mixed> */
    private function streamOptions(Watch $watch): array
    {
        $seconds = $watch->left();
        return ['stream' => true, 'decode_content' => false, 'stream_context' => ['http' => ['timeout' => is_finite($seconds) ? $seconds : -1.0]]];
    }

    /** @return array<string, mixed> */
    private function curlOptions(Watch $watch): array
    {
        $seen = 0.0;
        $progress = static function (mixed $handle, int|float $size, int|float $received) use ($watch, &$seen): int {
            if ($received > $seen) {
                $seen = $received;
                $watch->awaitBody();
            }
            return $watch->failure() === null ? 0 : 1;
        };
        $curl = [CURLOPT_NOPROGRESS => false, CURLOPT_PROGRESSFUNCTION => $progress] + $this->ownCurlOptions();
        return ['on_headers' => static fn () => $watch->awaitBody(), 'curl' => $curl];
    }

    /**
     * The options of the client, which those of a request replace as a whole.
     *
     * @return array<mixed>
     */
    private function ownCurlOptions(): array
    {
        /** @psalm-suppress DeprecatedMethod no other method gives them */
        return $this->client instanceof Client ? (array) ($this->client->getConfig('curl') ?? []) : [];
    }
}
