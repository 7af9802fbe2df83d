<?php

// Creates orders at the Delivery Service, each once, with nothing but PHP 8.1. Set DLV_BASE_URL and DLV_API_KEY.
declare(strict_types=1);

const ATTEMPTS = 10;

/** The service refused a request; sending the same again changes nothing. */
final class ServiceError extends RuntimeException
{
    public function __construct(public readonly int $status, public readonly ?string $errorCode, string $message)
    {
        parent::__construct("$status $errorCode: $message");
    }

    public function mayPass(): bool
    {
        return $this->status === 429 || $this->status >= 500 || $this->errorCode === 'IDEMPOTENCY_CONFLICT';
    }
}

/** Sends a request until there is a final answer. The key and the bytes are the same each time. */
function request(string $method, string $path, ?string $body = null, ?string $key = null): array
{
    for ($attempt = 0; $attempt < ATTEMPTS; $attempt++) {
        $wait = random_int(500, 1000) / 1000 * min(30, 0.5 * 2 ** $attempt);
        try {
            [$status, $headers, $text] = exchange($method, $path, $body, $key);
            $value = json_decode($text, true);
            if ($status < 300 && is_array($value)) {
                return $value;
            }
            $wait = max($wait, (int) ($headers['retry-after'] ?? 0));
            if ($status < 300) {
                throw new UnexpectedValueException('the answer is cut off');
            }
            if ($status < 400) {
                $to = $headers['location'] ?? '';
                throw new ServiceError($status, 'REDIRECT', "not followed, check DLV_BASE_URL: $to");
            }
            // Something in front of the service may answer with anything: the status counts then.
            $error = $value['error'] ?? [];
            throw new ServiceError($status, $error['code'] ?? null, $error['message'] ?? 'no error of the contract');
        } catch (ServiceError $error) {
            if (!$error->mayPass()) {
                throw $error;
            }
        } catch (UnexpectedValueException $error) {
        }
        fprintf(STDERR, "%s %s: %s; trying again in %.1f s\n", $method, $path, $error->getMessage(), $wait);
        usleep((int) ($wait * 1_000_000));
    }
    throw new RuntimeException("$method $path: no final answer after " . ATTEMPTS . ' attempts; run it again');
}

/** @return array{int, array<string, string>, string} the status, the headers by their names in lower case, the body */
function exchange(string $method, string $path, ?string $body, ?string $key): array
{
    $headers = ['Authorization: Bearer ' . getenv('DLV_API_KEY'), 'Content-Type: application/json', 'Connection: close'];
    if ($key !== null) {
        $headers[] = "Idempotency-Key: $key";
    }
    $http = ['method' => $method, 'header' => $headers, 'content' => $body ?? '', 'timeout' => 30];
    $context = stream_context_create(['http' => $http + ['ignore_errors' => true, 'follow_location' => 0]]);
    $text = @file_get_contents(rtrim(getenv('DLV_BASE_URL'), '/') . $path, false, $context);
    if ($text === false || !isset($http_response_header[0])) {
        throw new UnexpectedValueException('no answer: ' . (error_get_last()['message'] ?? 'the connection ended'));
    }
    $answered = [];
    foreach (array_slice($http_response_header, 1) as $line) {
        [$name, $value] = explode(':', $line, 2) + [1 => ''];
        $answered[strtolower($name)] = trim($value);
    }
    return [(int) explode(' ', $http_response_header[0])[1], $answered, $text];
}

/** Creates a delivery. The key is derived from the reference, so that a second run repeats and does not create. */
function create(string $order): array
{
    $reference = json_decode($order, true)['clientOrderReference'] ?? null;
    if (!is_string($reference) || $reference === '') {
        throw new DomainException('the order is not JSON, or has no clientOrderReference');
    }
    try {
        return request('POST', '/deliveries', $order, 'order-' . hash('sha256', $reference));
    } catch (ServiceError $error) {
        // The service forgets a key after a day, but not the reference.
        $isKnown = $error->errorCode === 'DUPLICATE_ORDER';
        return ($isKnown ? deliveries(['clientOrderReference' => $reference])->current() : null) ?? throw $error;
    }
}

/** All deliveries of a list, page by page. Pages may be short or empty: only a missing cursor is the end. */
function deliveries(array $query): Generator
{
    do {
        $page = request('GET', '/deliveries?' . http_build_query($query));
        yield from array_values($page['deliveries']);
        $query['cursor'] = $page['nextCursor'] ?? null;
    } while ($query['cursor'] !== null);
}

if ($argc !== 2 || !getenv('DLV_BASE_URL') || !getenv('DLV_API_KEY')) {
    fwrite(STDERR, "usage: php client.php ORDERS.ndjson, with DLV_BASE_URL and DLV_API_KEY set\n");
    exit(1);
}
$orders = array_filter(file($argv[1]), fn ($line) => trim($line) !== '');
[$references, $refused, $listed, $oldest] = [[], 0, 0, gmdate('Y-m-d\TH:i:s\Z', time() - 86_400)];
foreach ($orders as $at => $line) {
    try {
        $delivery = create($line);
        $references[$delivery['clientOrderReference']] = true;
        $oldest = min($oldest, $delivery['createdAt'] ?? $oldest);
        echo "{$delivery['clientOrderReference']} {$delivery['deliveryId']} {$delivery['status']}\n";
    } catch (ServiceError | DomainException $error) {
        $refused++;
        fwrite(STDERR, 'line ' . ($at + 1) . ": {$error->getMessage()}\n");
    }
}
try {
    foreach (deliveries(['from' => $oldest, 'limit' => 100]) as $delivery) {
        $listed += isset($references[$delivery['clientOrderReference']]) ? 1 : 0;
    }
} catch (ServiceError $error) {
    fwrite(STDERR, "{$error->getMessage()}\n");
    exit(1);
}
echo count($orders) . " orders, $refused refused, $listed deliveries\n";
exit($refused === 0 && $listed === count($orders) ? 0 : 1);
