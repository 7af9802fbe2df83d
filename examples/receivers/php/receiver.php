<?php

// Receives webhooks of the Delivery Service with nothing but PHP 8.1. DLV_WEBHOOK_SECRET is the signing secret.
declare(strict_types=1);

const MAX_BODY = 1_048_576;
const TOLERANCE_SECONDS = 300;
const WHAT_TO_DO = 'Correct or delete the line: an event that a crash cut off was not acknowledged and is sent again.';
const WHEN_AGAIN = 'It is handled again with the next webhook, unless a newer event of its delivery is done by then.';

/** Whether a signature is of one of the secrets, over the bytes as they arrived, within five minutes. */
function isSigned(array $secrets, string $body): bool
{
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $timestamp = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if ($id === '' || !preg_match('/^\d{1,12}$/D', $timestamp) || abs(time() - (int) $timestamp) > TOLERANCE_SECONDS) {
        return false;
    }
    foreach ($secrets as $secret) {
        $key = base64_decode(preg_replace('/^whsec_/', '', $secret), true);
        $good = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
        foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $given) {
            if (hash_equals($good, $given)) {
                return true;
            }
        }
    }
    return false;
}

/** Your work, once an event is on disk: tell the customer, close the order. After a crash it may come again. */
function handle(array $event): void
{
    error_log($event['eventType'] . ' ' . ($event['delivery']['clientOrderReference'] ?? ''));
}

/** The time of an event; throws if it is not one. */
function timeOf(mixed $event): DateTimeImmutable
{
    foreach (['eventId', 'eventType', 'occurredAt'] as $name) {
        is_string($event[$name] ?? null) || throw new UnexpectedValueException("$name is not a string");
    }
    is_string($event['delivery']['deliveryId'] ?? '') || throw new UnexpectedValueException('deliveryId is not a string');
    return new DateTimeImmutable($event['occurredAt']);
}

/**
 * Holds each event once, the newest of each delivery and the work to do, in a file that all requests share. Use tables of
 * your database instead.
 */
final class Store
{
    private array $eventIds = [];
    private array $newest = [];
    private array $todo = [];
    private array $badLines = [];
    /** @var resource */
    private $file;

    public function __construct(private string $path)
    {
        $this->file = fopen($path, 'a+b') ?: throw new RuntimeException("cannot open $path");
    }

    /** Says what became of the event: processed, outdated, ignored or duplicate. It is on disk by then. */
    public function take(array $event, DateTimeImmutable $at, string $body): string
    {
        flock($this->file, LOCK_EX);
        $this->read();
        $isKnown = isset($this->eventIds[$event['eventId']]);
        $isKnown || $this->append(strtr($body, "\r\n", '  '));
        flock($this->file, LOCK_UN);
        return $isKnown ? 'duplicate' : $this->apply($event, $at);
    }

    /** Handles what is to do, in the order of the file, in one process at a time. An event that fails holds up no other. */
    public function workOff(): void
    {
        $worker = fopen(__FILE__, 'r');
        flock($worker, LOCK_EX);
        flock($this->file, LOCK_EX);
        $this->read();
        flock($this->file, LOCK_UN);
        if (PHP_SAPI === 'cli') { // Not with every webhook.
            array_map(error_log(...), $this->badLines);
        }
        foreach ($this->todo as $event) {
            try {
                handle($event);
                $this->append(json_encode(['done' => $event['eventId']], JSON_THROW_ON_ERROR));
            } catch (Throwable $error) {
                error_log("{$event['eventId']} failed. " . WHEN_AGAIN . "\n$error");
            }
        }
    }

    private function append(string $line): void
    {
        // The break comes first: a line that a crash cut off spoils no other.
        $isWritten = fwrite($this->file, "\n$line") === strlen($line) + 1 && fsync($this->file);
        $isWritten || throw new RuntimeException("cannot write $this->path");
    }

    private function read(): void
    {
        [$this->eventIds, $this->newest, $this->todo, $this->badLines, $doneUntil] = [[], [], [], [], []];
        rewind($this->file);
        for ($number = 1; ($line = fgets($this->file)) !== false; $number++) {
            if (trim($line) === '') {
                continue;
            }
            try {
                $record = json_decode($line, true, 512, JSON_THROW_ON_ERROR);
                if (isset($record['eventId']) || !is_string($record['done'] ?? null)) {
                    $this->apply($record, timeOf($record));
                } elseif ($done = $this->todo[$record['done']] ?? null) {
                    $doneUntil[$done['delivery']['deliveryId']] = timeOf($done);
                    unset($this->todo[$record['done']]);
                }
            } catch (Throwable $error) {
                $place = "$this->path:$number";
                $this->badLines[] = "$place: skipped, not an event ({$error->getMessage()}). " . WHAT_TO_DO;
            }
        }
        $isNewer = fn ($event) => timeOf($event) >= ($doneUntil[$event['delivery']['deliveryId']] ?? timeOf($event));
        $this->todo = array_filter($this->todo, $isNewer);
    }

    private function apply(array $event, DateTimeImmutable $at): string
    {
        $this->eventIds[$event['eventId']] = true;
        $deliveryId = $event['delivery']['deliveryId'] ?? '';
        if ($deliveryId === '') {
            return 'ignored';
        }
        if (($this->newest[$deliveryId] ?? $at) > $at) {
            return 'outdated';
        }
        $this->newest[$deliveryId] = $at;
        $this->todo[$event['eventId']] = $event;
        return 'processed';
    }
}

/** Answers, and lets the sender go before the script ends. */
function answer(int $status, array $value): void
{
    $text = json_encode($value);
    http_response_code($status);
    header('Content-Type: application/json');
    header('Content-Length: ' . strlen($text));
    echo $text;
    ob_get_level() === 0 || ob_end_flush();
    flush();
    !function_exists('fastcgi_finish_request') || fastcgi_finish_request();
}

$secrets = preg_split('/[\s,]+/', getenv('DLV_WEBHOOK_SECRET') ?: '', -1, PREG_SPLIT_NO_EMPTY);
$form = '~^(?:whsec_)?[A-Za-z0-9+/]{22,}={0,2}$~D';
$placeholder = '~(?i:secret|webhook|change.?me|replace|x{8})|^(?:whsec_)?(?:[a-z/]+|[A-Z/]+)=*$~';
$keys = array_map(
    fn ($secret) => preg_match($form, $secret) && !preg_match($placeholder, $secret)
        ? base64_decode(preg_replace('/^whsec_/', '', $secret), true)
        : false,
    $secrets,
);
$problem = match (true) {
    $keys === [] => 'Set DLV_WEBHOOK_SECRET to the signing secret.',
    in_array(false, $keys, true) => 'DLV_WEBHOOK_SECRET is malformed: a secret is whsec_ and the base64 of 16 bytes '
        . 'or more, not a placeholder, a path or a signature.',
    default => null,
};
if ($problem !== null) {
    error_log($problem);
    answer(500, ['error' => 'the receiver has no usable signing secret']);
    exit(1);
}
$store = new Store(getenv('EVENTS_FILE') ?: 'events.jsonl');
if (PHP_SAPI === 'cli') { // Before the server starts: what a crash has left.
    $store->workOff();
    exit;
}
if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
    header('Allow: POST');
    answer(405, ['error' => 'webhooks come by POST']);
    exit;
}
$body = file_get_contents('php://input', false, null, 0, MAX_BODY + 1);
if (strlen($body) > MAX_BODY) {
    answer(413, ['error' => 'the body is larger than 1 MiB']);
} elseif (!isSigned($secrets, $body)) {
    answer(401, ['error' => 'the signature does not match']);
} else {
    try {
        $event = json_decode($body, true, 512, JSON_THROW_ON_ERROR);
        $at = timeOf($event);
    } catch (Throwable $error) { // It would be no better if the service sent it again.
        error_log("{$_SERVER['HTTP_WEBHOOK_ID']} is well signed but not an event, ignored ({$error->getMessage()})");
        answer(200, ['outcome' => 'ignored']);
        exit;
    }
    answer(200, ['outcome' => $store->take($event, $at, $body)]);
    ignore_user_abort(true);
    $store->workOff();
}
