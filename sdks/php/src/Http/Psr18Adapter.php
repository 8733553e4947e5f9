<?php

declare(strict_types=1);

namespace Parlance\Http;

use Parlance\Core\Watch;
use Psr\Http\Client\ClientExceptionInterface;
use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\RequestFactoryInterface;
use Psr\Http\Message\StreamFactoryInterface;

/** Any PSR-18 client. The interface knows neither time-outs nor cancellation: those of the client hold while it works, and those of a call between its pieces. */
final class Psr18Adapter implements HttpAdapter
{
    public function __construct(
        private readonly ClientInterface $client,
        private readonly RequestFactoryInterface $requests,
        private readonly StreamFactoryInterface $streams,
    ) {
    }

    public function send(#[\SensitiveParameter] OutgoingRequest $request, Watch $watch, bool $isStreamed): IncomingResponse
    {
        $sent = $this->requests->createRequest($request->method, $request->url);
        foreach ($request->headers as $name => $value) {
            $sent = $sent->withHeader($name, $value);
        }
        if ($request->body !== '') {
            $sent = $sent->withBody($this->streams->createStream($request->body));
        }
        try {
            return new PsrResponse($this->client->sendRequest($sent), $watch);
        } catch (ClientExceptionInterface $error) {
            throw Failure::of($error, $watch);
        }
    }
}
