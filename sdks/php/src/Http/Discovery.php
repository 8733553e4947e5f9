<?php

declare(strict_types=1);

namespace Parlance\Http;

use GuzzleHttp\Client as GuzzleClient;
use GuzzleHttp\ClientInterface as GuzzleClientInterface;
use GuzzleHttp\Psr7\HttpFactory;
use Http\Discovery\Psr17FactoryDiscovery;
use Http\Discovery\Psr18ClientDiscovery;
use Nyholm\Psr7\Factory\Psr17Factory;
use Parlance\Exception\ParlanceException;
use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\RequestFactoryInterface;
use Psr\Http\Message\StreamFactoryInterface;
use Symfony\Component\HttpClient\HttpClient;
use Symfony\Contracts\HttpClient\HttpClientInterface;

/** Finds the HTTP client that is installed. */
final class Discovery
{
    /** The adapter of a client, or of one that is installed. */
    public static function adapterOf(ClientInterface|HttpClientInterface|null $client): HttpAdapter
    {
        return match (true) {
            $client instanceof HttpClientInterface => new SymfonyAdapter($client),
            $client instanceof GuzzleClientInterface => new GuzzleAdapter($client),
            $client instanceof ClientInterface => self::adapterOfAny($client),
            class_exists(HttpClient::class) => new SymfonyAdapter(HttpClient::create()),
            class_exists(GuzzleClient::class) => new GuzzleAdapter(new GuzzleClient()),
            class_exists(Psr18ClientDiscovery::class) => self::adapterOfAny(Psr18ClientDiscovery::find()),
            default => throw new ParlanceException('There is no HTTP client. Run "composer require symfony/http-client", or pass a PSR-18 client as httpClient.'),
        };
    }

    private static function adapterOfAny(ClientInterface $client): Psr18Adapter
    {
        $factory = self::factory();
        return new Psr18Adapter($client, $factory ?? Psr17FactoryDiscovery::findRequestFactory(), $factory ?? Psr17FactoryDiscovery::findStreamFactory());
    }

    private static function factory(): (RequestFactoryInterface&StreamFactoryInterface)|null
    {
        return match (true) {
            class_exists(Psr17Factory::class) => new Psr17Factory(),
            class_exists(HttpFactory::class) => new HttpFactory(),
            class_exists(Psr17FactoryDiscovery::class) => null,
            default => throw new ParlanceException('There is no PSR-17 factory. Run "composer require nyholm/psr7".'),
        };
    }
}
