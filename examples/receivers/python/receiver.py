"""Receives webhooks of the Delivery Service with nothing but Python 3.11. DLV_WEBHOOK_SECRET is the signing secret."""

import base64
import hmac
import json
import os
import queue
import re
import sys
import threading
import time
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MAX_BODY = 1_048_576
TOLERANCE_SECONDS = 300
SECRETS = os.environ.get("DLV_WEBHOOK_SECRET", "").split()
try:
    KEYS = [base64.b64decode(secret.removeprefix("whsec_"), validate=True) for secret in SECRETS]
except ValueError:
    sys.exit("DLV_WEBHOOK_SECRET is malformed: a secret is whsec_ and base64.")


def is_signed(headers, body):
    """Whether one of the signatures is of one of our secrets, over the bytes as they arrived, within five minutes."""
    event_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    is_time = re.fullmatch("[0-9]{1,12}", timestamp)
    if not event_id or not is_time or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    signed = f"{event_id}.{timestamp}.".encode() + body
    expected = [b"v1," + base64.b64encode(hmac.digest(key, signed, "sha256")) for key in KEYS]
    given = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(one, good) for one in given for good in expected)


class Store:
    """Holds each event once and the newest snapshot of each delivery. Use tables of your database instead."""

    def __init__(self, path):
        self.lock, self.event_ids, self.deliveries = threading.Lock(), set(), {}
        self.file = open(path, "a+b", buffering=0)
        self.file.seek(0)
        for line in self.file:
            self._apply(json.loads(line))

    def take(self, event):
        """Says what became of the event: processed, outdated, ignored or duplicate. It is on disk by then."""
        delivery = event.get("delivery") or {}
        row = [event["eventId"], event["occurredAt"], delivery.get("deliveryId"), delivery.get("status")]
        with self.lock:
            if event["eventId"] in self.event_ids:
                return "duplicate"
            self.file.write(json.dumps(row).encode() + b"\n")
            os.fsync(self.file.fileno())
            return self._apply(row)

    def _apply(self, row):
        event_id, occurred_at, delivery_id, status = row
        self.event_ids.add(event_id)
        if delivery_id is None:
            return "ignored"
        at = datetime.fromisoformat(occurred_at)
        if delivery_id in self.deliveries and self.deliveries[delivery_id][0] > at:
            return "outdated"
        self.deliveries[delivery_id] = (at, status)
        return "processed"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30

    def do_POST(self):
        body = self.read_body()
        if body is None:
            self.close_connection = True
            return self.answer(413, {"error": "the body is larger than 1 MiB"})
        if not is_signed(self.headers, body):
            return self.answer(401, {"error": "the signature does not match"})
        event = json.loads(body)
        outcome = store.take(event)
        self.answer(200, {"outcome": outcome})
        if outcome == "processed":
            work.put(event)

    def read_body(self):
        """The raw bytes of a body with a length or in chunks; None if they are too many."""
        if self.headers.get("transfer-encoding", "").lower() != "chunked":
            length = int(self.headers.get("content-length", 0))
            return self.rfile.read(length) if 0 <= length <= MAX_BODY else None
        body = bytearray()
        while size := int(self.rfile.readline(100).split(b";")[0], 16):
            if size < 0 or len(body) + size > MAX_BODY:
                return None
            body += self.rfile.read(size)
            self.rfile.readline(100)
        self.rfile.readline(100)
        return body

    def answer(self, status, value):
        text = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        if self.close_connection:
            self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(text)


def work_off():
    """What takes time comes after the answer: tell the customer, close the order."""
    while event := work.get():
        print(event["eventType"], event["delivery"].get("clientOrderReference"), flush=True)


if __name__ == "__main__":
    if not KEYS:
        sys.exit("Set DLV_WEBHOOK_SECRET to the signing secret.")
    store = Store(os.environ.get("EVENTS_FILE", "events.jsonl"))
    work = queue.Queue()
    threading.Thread(target=work_off, daemon=True).start()
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Handler)
    print(f"listening on http://127.0.0.1:{server.server_port}/webhooks", flush=True)
    server.serve_forever()
