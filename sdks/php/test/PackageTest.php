<?php

declare(strict_types=1);

namespace Parlance\Test;

use GuzzleHttp\Client as GuzzleClient;
use Parlance\CallOptions;
use Parlance\Client;
use Parlance\Core\Request;
use Parlance\Exception\ParlanceException;
use Parlance\Exception\UnexpectedResponseException;
use Parlance\File;
use Parlance\Http\Discovery;
use Parlance\Http\GuzzleAdapter;
use Parlance\Http\Psr18Adapter;
use Parlance\Http\SymfonyAdapter;
use PHPUnit\Framework\TestCase;
use Symfony\Component\HttpClient\HttpClient;
use Symfony\Component\HttpClient\MockHttpClient;
use Symfony\Component\HttpClient\Psr18Client;
use Symfony\Component\HttpClient\Response\MockResponse;

/** Properties of the package that no case of the suite has. */
final class PackageTest extends TestCase
{
    private const SOURCES = __DIR__ . '/../src';

    /** @return \Generator<string, array{string}> */
    public static function files(): \Generator
    {
        $files = new \RecursiveIteratorIterator(new \RecursiveDirectoryIterator(self::SOURCES, \FilesystemIterator::SKIP_DOTS));
        foreach ($files as $file) {
            $name = substr((string) $file, strlen(self::SOURCES) + 1);
            yield $name => [$name];
        }
    }

    /** @dataProvider files */
    public function testEachFileHasTheClassOfItsName(string $name): void
    {
        $class = 'Parlance\\' . strtr(substr($name, 0, -strlen('.php')), '/', '\\');
        self::assertTrue(class_exists($class) || interface_exists($class));
        self::assertStringContainsString("<?php\n\ndeclare(strict_types=1);\n", (string) file_get_contents(self::SOURCES . "/{$name}"));
    }

    /** @dataProvider files */
    public function testEachImportedTypeExists(string $name): void
    {
        $generated = (string) file_get_contents(self::SOURCES . '/Generated/Types.php');
        preg_match_all('/@phpstan-import-type (\w+) from Types/', (string) file_get_contents(self::SOURCES . "/{$name}"), $imports);
        foreach ($imports[1] as $type) {
            self::assertStringContainsString("@phpstan-type {$type} ", $generated);
        }
        self::assertSame(array_unique($imports[1]), $imports[1]);
    }

    public function testFindsAndRecognizesHttpClients(): void
    {
        self::assertInstanceOf(SymfonyAdapter::class, Discovery::adapterOf(null));
        self::assertInstanceOf(SymfonyAdapter::class, Discovery::adapterOf(HttpClient::create()));
        self::assertInstanceOf(GuzzleAdapter::class, Discovery::adapterOf(new GuzzleClient()));
        self::assertInstanceOf(Psr18Adapter::class, Discovery::adapterOf(new Psr18Client()));
    }

    /**
     * @testWith [""]
     *           ["."]
     *           [".."]
     */
    public function testRefusesAnIdThatWouldChangeThePath(string $id): void
    {
        $this->expectException(ParlanceException::class);
        Request::path('transcriptions', $id);
    }

    public function testRefusesAKeyThatAHeaderCannotHaveWithoutSayingIt(): void
    {
        try {
            new Client(apiKey: "pl_secret\nx: y");
            self::fail('The key was accepted.');
        } catch (ParlanceException $error) {
            self::assertStringNotContainsString('pl_secret', print_r($error, true));
        }
    }

    public function testRefusesAFileThatCannotBeRead(): void
    {
        $this->expectException(ParlanceException::class);
        $this->expectExceptionMessage('/nowhere/a.mp3');
        (new Client(apiKey: 'pl_x'))->uploads->create('/nowhere/a.mp3');
    }

    public function testReadsAResourceFromItsPosition(): void
    {
        $stream = fopen(__FILE__, 'rb');
        self::assertIsResource($stream);
        fseek($stream, 6);
        $file = File::of($stream);
        self::assertSame('PackageTest.php', $file->name);
        self::assertSame(substr((string) file_get_contents(__FILE__), 6), stream_get_contents($file->open()));
        self::assertSame('abc', stream_get_contents(File::fromStream(['a', 'bc'])->open()));
    }

    /**
     * @testWith [""]
     *           ["3"]
     *           ["<p>"]
     */
    public function testRefusesAnAnswerThatIsNoObject(string $content): void
    {
        $client = new Client(apiKey: 'pl_x', httpClient: new MockHttpClient([new MockResponse($content)]));
        $this->expectException(UnexpectedResponseException::class);
        $client->usage();
    }

    public function testAnUnreachableServerIsAnErrorWithTheKeyOfTheCall(): void
    {
        foreach ([HttpClient::create(), new GuzzleClient(), new Psr18Client()] as $httpClient) {
            $client = new Client('http://127.0.0.1:9', 'pl_x', maxRetries: 0, httpClient: $httpClient);
            try {
                $client->chat->ask(['message' => 'Who?'], new CallOptions(idempotencyKey: 'mine-3'));
                self::fail('The server was reached.');
            } catch (ParlanceException $error) {
                self::assertSame(['mine-3', true, 1], [$error->idempotencyKey, $error->retryable, $error->attempts]);
            }
        }
    }
}
