<?php

// Receives webhooks of the Delivery Service with nothing but PHP 8.1. DLV_WEBHOOK_SECRET is the signing secret.
declare(strict_types=1);

const MAX_BODY = 1_048_576;
const TOLERANCE_SECONDS = 300;

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

/**
 * Holds each event once and the newest snapshot of each delivery, in a file that all requests share. Use tables of your
 * database instead.
 */
final class Store
{
    public function __construct(private string $path)
    {
    }

    /** Says what became of the event: processed, outdated, ignored or duplicate. It is on disk by then. */
    public function take(array $event): string
    {
        $file = fopen($this->path, 'a+b') ?: throw new RuntimeException("cannot open $this->path");
        flock($file, LOCK_EX);
        try {
            $newest = $at = new DateTimeImmutable($event['occurredAt']);
            $deliveryId = $event['delivery']['deliveryId'] ?? null;
            while (($line = fgets($file)) !== false) {
                [$id, $occurredAt, $delivery] = json_decode($line, false, 8, JSON_THROW_ON_ERROR);
                if ($id === $event['eventId']) {
                    return 'duplicate';
                }
                $newest = $delivery === $deliveryId ? max($newest, new DateTimeImmutable($occurredAt)) : $newest;
            }
            $row = [$event['eventId'], $event['occurredAt'], $deliveryId, $event['delivery']['status'] ?? null];
            fwrite($file, json_encode($row, JSON_THROW_ON_ERROR) . "\n");
            fsync($file);
            return match (true) {
                $deliveryId === null => 'ignored',
                $newest > $at => 'outdated',
                default => 'processed',
            };
        } finally {
            fclose($file);
        }
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
    flush();
}

$secrets = preg_split('/\s+/', getenv('DLV_WEBHOOK_SECRET') ?: '', -1, PREG_SPLIT_NO_EMPTY);
$body = file_get_contents('php://input', false, null, 0, MAX_BODY + 1);
if ($secrets === []) {
    error_log('Set DLV_WEBHOOK_SECRET to the signing secret.');
    answer(500, ['error' => 'the receiver has no signing secret']);
} elseif (in_array(false, array_map(fn ($secret) => base64_decode(preg_replace('/^whsec_/', '', $secret), true), $secrets), true)) {
    error_log('DLV_WEBHOOK_SECRET is malformed: a secret is whsec_ and base64.');
    answer(500, ['error' => 'the signing secret of the receiver is malformed']);
} elseif (strlen($body) > MAX_BODY) {
    answer(413, ['error' => 'the body is larger than 1 MiB']);
} elseif (!isSigned($secrets, $body)) {
    answer(401, ['error' => 'the signature does not match']);
} else {
    $event = json_decode($body, true, 512, JSON_THROW_ON_ERROR);
    $outcome = (new Store(getenv('EVENTS_FILE') ?: 'events.jsonl'))->take($event);
    answer(200, ['outcome' => $outcome]);
    if ($outcome === 'processed') {
        // What takes time comes after the answer: tell the customer, close the order.
        error_log($event['eventType'] . ' ' . ($event['delivery']['clientOrderReference'] ?? ''));
    }
}
