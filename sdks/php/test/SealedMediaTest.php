<?php

declare(strict_types=1);

namespace Parlance\Test;

use Nyholm\Psr7\Stream;
use Parlance\CallOptions;
use Parlance\Client;
use Parlance\Exception\InvalidRecipientException;
use Parlance\Exception\ParlanceException;
use Parlance\File;
use Parlance\SealedMedia;
use PHPUnit\Framework\TestCase;
use Symfony\Component\HttpClient\MockHttpClient;
use Symfony\Component\HttpClient\Response\MockResponse;

/** What is sealed here is opened by two other implementations: `age-encryption` (TypeScript), which the server has, and `age` (Go). */
final class SealedMediaTest extends TestCase
{
    private const CHUNK_BYTES = 65_536;
    private const MEMORY_BYTES = 2 << 20;
    private const PROGRAM = __DIR__ . '/age.mjs';

    /** @var array{identity: string, recipient: string} */
    private static array $key;
    private string $folder;

    public static function setUpBeforeClass(): void
    {
        self::$key = self::newKey();
    }

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/parlance-sealed-' . bin2hex(random_bytes(6));
        mkdir($this->folder);
    }

    protected function tearDown(): void
    {
        array_map(unlink(...), glob("{$this->folder}/*") ?: []);
        rmdir($this->folder);
    }

    /** @return \Generator<string, array{int}> */
    public static function sizes(): \Generator
    {
        foreach ([0, 1, self::CHUNK_BYTES - 1, self::CHUNK_BYTES, self::CHUNK_BYTES + 1, 2 * self::CHUNK_BYTES, 5 * 1024 * 1024 + 3] as $bytes) {
            yield "{$bytes} bytes" => [$bytes];
        }
    }

    /** @dataProvider sizes */
    public function testOtherImplementationsOpenAFileOfEachSize(int $bytes): void
    {
        $clear = $bytes === 0 ? '' : random_bytes($bytes);
        $stream = SealedMedia::seal($this->file($clear), self::$key['recipient'])->open();
        $size = fstat($stream)['size'] ?? null;
        $sealed = stream_get_contents($stream);
        self::assertSame($size, strlen((string) $sealed));
        $this->assertOpens($clear, (string) $sealed, self::$key['identity']);
    }

    public function testTakesAPathBytesAResourceAPsr7StreamAndPieces(): void
    {
        $clear = random_bytes(3 * self::CHUNK_BYTES);
        $resource = fopen($this->file("skipped{$clear}", 'skipped'), 'rb');
        self::assertIsResource($resource);
        fseek($resource, strlen('skipped'));
        $pipe = popen('cat ' . escapeshellarg($this->file($clear, 'piped')), 'r');
        $files = [
            'meeting.mp3.age' => SealedMedia::seal($this->file($clear, 'meeting.mp3'), self::$key['recipient']),
            'talk.mp3.age' => SealedMedia::seal(File::fromString($clear, 'talk.mp3'), self::$key['recipient']),
            'skipped.age' => SealedMedia::seal(File::fromStream($resource, 'skipped'), self::$key['recipient']),
            'pipe.age' => SealedMedia::seal(File::fromStream($pipe, 'pipe'), self::$key['recipient']),
            'recording.age' => SealedMedia::seal(Stream::create($clear), self::$key['recipient']),
            'pieces.age' => SealedMedia::seal(File::fromStream(str_split($clear, 1000), 'pieces'), self::$key['recipient']),
        ];
        foreach ($files as $name => $file) {
            self::assertSame($name, $file->name);
            $this->assertOpens($clear, (string) stream_get_contents($file->open()), self::$key['identity']);
        }
        fclose($resource);
        pclose($pipe);
    }

    public function testEachRecipientOpensItAndNoOtherKeyDoes(): void
    {
        $own = self::newKey();
        $sealed = (string) stream_get_contents(SealedMedia::seal(File::fromString('what was said'), [self::$key['recipient'], $own['recipient']])->open());
        $this->assertOpens('what was said', $sealed, self::$key['identity']);
        $this->assertOpens('what was said', $sealed, $own['identity']);
        $this->assertDoesNotOpen($sealed, self::newKey()['identity']);
    }

    public function testAChangedOrShortenedFileIsNotOpened(): void
    {
        $sealed = (string) stream_get_contents(SealedMedia::seal(File::fromString(str_repeat('speech', 40_000)), self::$key['recipient'])->open());
        $changed = $sealed;
        $changed[1000] = chr(ord($changed[1000]) ^ 1);
        $this->assertDoesNotOpen($changed, self::$key['identity']);
        $this->assertDoesNotOpen(substr($sealed, 0, -1), self::$key['identity']);
    }

    public function testAResourceIsEncryptedWholeEachTimeAlsoWhenItIsReadTwiceAtOnce(): void
    {
        $clear = random_bytes(5 * self::CHUNK_BYTES + 7);
        $resource = fopen($this->file("skipped{$clear}", 'twice'), 'rb');
        self::assertNotFalse($resource);
        fseek($resource, strlen('skipped'));
        $file = SealedMedia::seal($resource, self::$key['recipient']);
        $this->assertOpens($clear, (string) stream_get_contents($file->open()), self::$key['identity']);

        $streams = [$file->open(), $file->open()];
        $sealed = ['', ''];
        while (!feof($streams[0]) || !feof($streams[1])) {
            foreach ($streams as $number => $stream) {
                $sealed[$number] .= fread($stream, self::CHUNK_BYTES);
            }
        }
        foreach ($sealed as $bytes) {
            $this->assertOpens($clear, $bytes, self::$key['identity']);
        }
    }

    public function testAStreamThatCannotBeReadAgainIsRefusedTheSecondTime(): void
    {
        $pipe = popen('printf speech', 'rb');
        self::assertNotFalse($pipe);
        $file = SealedMedia::seal($pipe, self::$key['recipient']);
        $this->assertOpens('speech', (string) stream_get_contents($file->open()), self::$key['identity']);
        $generated = SealedMedia::seal((static fn (): \Generator => yield 'speech')(), self::$key['recipient']);
        $this->assertOpens('speech', (string) stream_get_contents($generated->open()), self::$key['identity']);
        foreach ([$file, $generated] as $read) {
            try {
                $read->open();
                self::fail('It was read again.');
            } catch (ParlanceException $error) {
                self::assertStringContainsString('cannot be read again', $error->getMessage());
            }
        }
    }

    public function testEachOpeningEncryptsAnew(): void
    {
        $file = SealedMedia::seal($this->file('what was said'), self::$key['recipient']);
        $first = (string) stream_get_contents($file->open());
        $second = (string) stream_get_contents($file->open());
        self::assertNotSame(substr($first, -29), substr($second, -29));
        $this->assertOpens('what was said', $second, self::$key['identity']);
    }

    /** @return \Generator<string, array{string|list<string>}> */
    public static function wrongRecipients(): \Generator
    {
        $key = self::newKey();
        $last = substr($key['recipient'], -1);
        yield 'nothing' => [''];
        yield 'none' => [[]];
        yield 'not a key' => ['age1nobody'];
        yield 'a typing error' => [substr($key['recipient'], 0, -1) . ($last === 'q' ? 'p' : 'q')];
        yield 'two letters exchanged' => [preg_replace('/(.)((?!\1).)(.{6})$/', '$2$1$3', $key['recipient']) ?? ''];
        yield 'padding that is not zero' => ['age1pyysjzgfpyysjzgfpyysjzgfpyysjzgfpyysjzgfpyysjzgfpyy39sttt0'];
        yield 'another prefix' => ['agf1pyysjzgfpyysjzgfpyysjzgfpyysjzgfpyysjzgfpyysjzgfpyyssmx3ck'];
        yield 'upper case' => [strtoupper($key['recipient'])];
        yield 'a line break' => ["{$key['recipient']}\n"];
        yield 'an ssh key' => ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHsKLqeplhpW+uObz5dvMgjz1OxfM/XXUB+VHtZ6isGN'];
        yield 'a private key' => [$key['identity']];
        yield 'the second one' => [[$key['recipient'], 'age1nobody']];
    }

    /**
     * @dataProvider wrongRecipients
     * @param string|list<string> $recipients
     */
    public function testRefusesWhatIsNoRecipientWithoutRepeatingIt(string|array $recipients): void
    {
        try {
            SealedMedia::seal(File::fromString('what was said'), $recipients);
            self::fail('The recipient was accepted.');
        } catch (InvalidRecipientException $error) {
            self::assertStringNotContainsString('AGE-SECRET-KEY', $error->getMessage());
            self::assertFalse($error->retryable);
        }
    }

    /** The point 0, with which every agreed secret is 0 (RFC 7748, section 6.1). */
    public function testRefusesAKeyWithWhichNoSecretCanBeAgreed(): void
    {
        $this->expectException(InvalidRecipientException::class);
        SealedMedia::seal($this->file('what was said'), 'age1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq5cu47z');
    }

    public function testSaysThatTheExtensionIsMissing(): void
    {
        $program = 'require $argv[1]; try { Parlance\SealedMedia::seal(__FILE__, "age1nobody"); }'
            . ' catch (Parlance\Exception\MissingExtensionException $error) { echo $error->extension, ": ", $error->getMessage(); }';
        [$status, $output] = self::execute([PHP_BINARY, '-d', 'disable_functions=sodium_crypto_scalarmult', '-r', $program, __DIR__ . '/bootstrap.php']);
        self::assertSame([0, "sodium: Sealed media needs PHP's extension sodium: install it, or enable it in php.ini."], [$status, $output]);
    }

    public function testMemoryStaysConstantHoweverLargeTheFileIs(): void
    {
        $path = $this->file('');
        $bytes = 64 << 20;
        $handle = fopen($path, 'r+b');
        self::assertIsResource($handle);
        ftruncate($handle, $bytes);
        $stream = SealedMedia::seal($path, self::$key['recipient'])->open();
        memory_reset_peak_usage();
        $before = memory_get_usage();
        $read = 0;
        while (($piece = fread($stream, self::CHUNK_BYTES)) !== false && $piece !== '') {
            $read += strlen($piece);
        }
        self::assertGreaterThan($bytes, $read);
        self::assertLessThan(self::MEMORY_BYTES, memory_get_peak_usage() - $before);
    }

    public function testAFileThatBecomesShorterEndsTheReadWithAnError(): void
    {
        $path = $this->file(random_bytes(10 * self::CHUNK_BYTES));
        $stream = SealedMedia::seal($path, self::$key['recipient'])->open();
        self::assertNotSame('', fread($stream, 100));
        $handle = fopen($path, 'r+b');
        self::assertIsResource($handle);
        ftruncate($handle, self::CHUNK_BYTES);
        $this->expectException(ParlanceException::class);
        $this->expectExceptionMessage('The file became shorter while it was read.');
        stream_get_contents($stream);
    }

    public function testIsReadFromItsBeginningToItsEnd(): void
    {
        $stream = SealedMedia::seal($this->file(random_bytes(10 * self::CHUNK_BYTES)), self::$key['recipient'])->open();
        self::assertSame(0, fseek($stream, 0, SEEK_END));
        self::assertSame(fstat($stream)['size'] ?? null, ftell($stream));
        self::assertSame(-1, fseek($stream, 1, SEEK_END));
        fseek($stream, 5 * self::CHUNK_BYTES);
        $this->expectException(ParlanceException::class);
        fread($stream, 1);
    }

    public function testNoPathOpensTheStreamByItsProtocol(): void
    {
        SealedMedia::seal($this->file(''), self::$key['recipient'])->open();
        self::assertFalse(@file_get_contents('parlance-age://anything'));
    }

    public function testIsUploadedUnderItsNameAndOpensAtTheOtherEnd(): void
    {
        $clear = random_bytes(9 << 20);
        $received = '';
        $client = self::clientOf(static function (string $method, string $headers, string $body) use (&$received): MockResponse {
            $received .= $method === 'PATCH' ? $body : '';
            if ($method === 'POST') {
                self::assertStringContainsString('filename ' . base64_encode('meeting.mp3.age'), $headers);
            }
            return self::answer($method, 0);
        });
        $client->uploads->create(SealedMedia::seal($this->file($clear, 'meeting.mp3'), self::$key['recipient']));
        $this->assertOpens($clear, $received, self::$key['identity']);
    }

    public function testAnUploadOfAnEarlierCallIsNotContinuedWithAnotherEncryption(): void
    {
        $methods = [];
        $client = self::clientOf(static function (string $method) use (&$methods): MockResponse {
            $methods[] = $method;
            return self::answer($method, 3 << 20);
        });
        $sealed = SealedMedia::seal($this->file(random_bytes(9 << 20)), self::$key['recipient']);
        try {
            $client->uploads->create($sealed, options: new CallOptions(idempotencyKey: 'mine-3'));
            self::fail('The parts of two encryptions were sent.');
        } catch (ParlanceException $error) {
            self::assertStringContainsString('another idempotencyKey', $error->getMessage());
        }
        self::assertSame(['POST', 'HEAD'], $methods);
    }

    public function testAnUploadThatAnEarlierCallCompletedIsTaken(): void
    {
        $path = $this->file(random_bytes(9 << 20));
        $size = fstat(SealedMedia::seal($path, self::$key['recipient'])->open())['size'] ?? 0;
        $methods = [];
        $client = self::clientOf(static function (string $method) use (&$methods, $size): MockResponse {
            $methods[] = $method;
            return self::answer($method, $size);
        });
        $client->uploads->create(SealedMedia::seal($path, self::$key['recipient']), options: new CallOptions(idempotencyKey: 'mine-4'));
        self::assertSame(['POST', 'HEAD', 'GET'], $methods);
    }

    /** @param \Closure(string, string, string): MockResponse $answer of the method, the headers and the body of a request */
    private static function clientOf(\Closure $answer): Client
    {
        $factory = static fn (string $method, string $url, array $options): MockResponse => $answer($method, implode("\n", $options['headers']), (string) $options['body']);
        return new Client(apiKey: 'pl_x', httpClient: new MockHttpClient($factory));
    }

    private static function answer(string $method, int $offset): MockResponse
    {
        return match ($method) {
            'HEAD' => new MockResponse('', ['response_headers' => ["upload-offset: {$offset}"]]),
            'PATCH' => new MockResponse('', ['http_code' => 204]),
            default => new MockResponse('{"upload_id": "upl_1"}', ['response_headers' => ['content-type: application/json']]),
        };
    }

    private function file(string $bytes, string $name = 'clear'): string
    {
        $path = "{$this->folder}/{$name}";
        file_put_contents($path, $bytes);
        return $path;
    }

    private function assertOpens(string $clear, string $sealed, string $identity): void
    {
        foreach ($this->openedByEach($sealed, $identity) as $name => $opened) {
            self::assertNotNull($opened, "{$name} does not open it.");
            self::assertSame([strlen($clear), hash('sha256', $clear)], [strlen($opened), hash('sha256', $opened)], $name);
        }
    }

    private function assertDoesNotOpen(string $sealed, string $identity): void
    {
        self::assertSame(['age-encryption' => null, 'age' => null], $this->openedByEach($sealed, $identity));
    }

    /** @return array<string, string|null> the content by the name of the implementation, null where it refuses the file */
    private function openedByEach(string $sealed, string $identity): array
    {
        $path = $this->file($sealed, 'sealed.age');
        $keys = $this->file("{$identity}\n", 'identity');
        $commands = ['age-encryption' => ['node', self::PROGRAM, 'open', $keys, $path], 'age' => ['age', '--decrypt', '--identity', $keys, $path]];
        return array_map(static function (array $command): ?string {
            [$status, $output] = self::execute($command);
            return $status === 0 ? $output : null;
        }, $commands);
    }

    /** @return array{identity: string, recipient: string} */
    private static function newKey(): array
    {
        [$status, $output] = self::execute(['node', self::PROGRAM, 'key']);
        self::assertSame(0, $status);
        return json_decode($output, true, 512, JSON_THROW_ON_ERROR);
    }

    /**
     * @param list<string> $command
     * @return array{int, string} the exit status and the output
     */
    private static function execute(array $command): array
    {
        $process = proc_open($command, [1 => ['pipe', 'w'], 2 => ['file', '/dev/null', 'w']], $pipes);
        self::assertIsResource($process);
        $output = (string) stream_get_contents($pipes[1]);
        return [proc_close($process), $output];
    }
}
