<?php

declare(strict_types=1);

namespace Parlance\Http;

use Parlance\Core\Watch;
use Parlance\Exception\ParlanceException;
use Symfony\Contracts\HttpClient\Exception\TransportExceptionInterface;
use Symfony\Contracts\HttpClient\HttpClientInterface;

/** Symfony's HTTP client: every time-out is exact, and every body is read while it comes. */
final class SymfonyAdapter implements HttpAdapter
{
    public function __construct(private readonly HttpClientInterface $client)
    {
    }

    public function send(#[\SensitiveParameter] OutgoingRequest $request, Watch $watch, bool $isStreamed): IncomingResponse
    {
        $options = ['headers' => $request->headers, 'body' => $request->body, 'buffer' => false, 'max_redirects' => 0];
        if ($request->method === 'PATCH' && extension_loaded('curl')) {
            // On a connection that was used before, curl itself repeats a request that got no response: a piece of a file would be sent twice.
            $options['extra'] = ['curl' => [CURLOPT_FRESH_CONNECT => true]];
        }
        try {
            $sent = $this->client->request($request->method, $request->url, $options);
        } catch (TransportExceptionInterface $error) {
            throw Failure::of($error, $watch);
        }
        $response = new SymfonyResponse($this->client, $sent, $watch);
        try {
            $response->awaitHead();
        } catch (ParlanceException $error) {
            // Otherwise the client waits for the response when it is destroyed.
            $response->close();
            throw $error;
        }
        return $response;
    }
}
