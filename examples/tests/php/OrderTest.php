<?php

// An order becomes a delivered one in the app. Run by `phpunit OrderTest.php`. APP is the script of the app; with APP_URL,
// where it receives webhooks, it is the command of the app.
declare(strict_types=1);

use PHPUnit\Framework\TestCase;

final class OrderTest extends TestCase
{
    private const ORDER = [
        'clientOrderReference' => 'TEST-1',
        'pickup' => ['storeReference' => 'STORE-001'],
        'dropoff' => [
            'address' => '418 Ramsey Street, Fayetteville, NC 28301',
            'contactName' => 'Dana Whitfield',
            'contactPhone' => '+19105550147',
        ],
        'metadata' => ['sandbox_pace' => 'robo'],
    ];

    private array $programs = [];
    private array $ready;
    /** @var resource what the app writes */
    private $app;

    protected function setUp(): void
    {
        $dlv = explode(' ', getenv('DLV') ?: 'dlv');
        $sandbox = $this->start([...$dlv, 'sandbox', 'start', '--port', '0', '--data', ':memory:', '--quiet', '-o', 'json']);
        $this->ready = json_decode($this->line($sandbox), true, 8, JSON_THROW_ON_ERROR);
        $url = getenv('APP_URL') ?: "http://{$this->freeAddress()}/webhooks";
        $address = parse_url($url, PHP_URL_HOST) . ':' . parse_url($url, PHP_URL_PORT);
        $app = getenv('APP') ?: 'receiver.php';
        $environment = [
            'DLV_WEBHOOK_SECRET' => $this->ready['webhookSecret'],
            'EVENTS_FILE' => tempnam(sys_get_temp_dir(), 'events'),
        ];
        $command = getenv('APP_URL') ? explode(' ', $app) : [PHP_BINARY, '-S', $address, $app];
        $this->app = $this->start($command, $environment);
        for ($attempt = 0; !@stream_socket_client("tcp://$address"); $attempt++) {
            $this->assertLessThan(200, $attempt, "nothing listens on $url");
            usleep(100_000);
        }
        $this->control('/endpoints', ['url' => $url]);
    }

    protected function tearDown(): void
    {
        foreach ($this->programs as $program) {
            proc_terminate($program);
            proc_close($program);
        }
    }

    public function testTheAppHearsOfTheDelivery(): void
    {
        $created = $this->api('POST', '/deliveries', self::ORDER);
        $this->control('/clock', ['advance' => '10m']);
        $this->assertSame('delivered', $this->api('GET', "/deliveries/{$created['deliveryId']}")['status']);
        do {
            $line = $this->line($this->app);
        } while (!str_contains($line, 'delivery.delivered TEST-1'));
    }

    /** Starts a program; it ends with the test. @return resource what it writes */
    private function start(array $command, array $environment = [])
    {
        $this->programs[] = proc_open($command, [1 => ['pipe', 'w'], 2 => ['redirect', 1]], $pipes, null, $environment + getenv());
        return $pipes[1];
    }

    private function freeAddress(): string
    {
        return stream_socket_get_name(stream_socket_server('tcp://127.0.0.1:0'), false);
    }

    private function line($output): string
    {
        [$read, $write, $except] = [[$output], null, null];
        $this->assertSame(1, stream_select($read, $write, $except, 20), 'the program printed nothing for 20 s');
        return (string) fgets($output);
    }

    private function control(string $path, array $body): array
    {
        return $this->call('POST', $this->ready['controlUrl'] . $path, $body, []);
    }

    private function api(string $method, string $path, ?array $body = null): array
    {
        $headers = ["Authorization: Bearer {$this->ready['apiKey']}", 'Idempotency-Key: test-1'];
        return $this->call($method, $this->ready['baseUrl'] . $path, $body, $headers);
    }

    private function call(string $method, string $url, ?array $body, array $headers): array
    {
        $http = ['method' => $method, 'header' => ['Content-Type: application/json', ...$headers], 'timeout' => 10];
        $context = stream_context_create(['http' => $http + ['content' => $body === null ? '' : json_encode($body)]]);
        return json_decode(file_get_contents($url, false, $context), true, 64, JSON_THROW_ON_ERROR);
    }
}
