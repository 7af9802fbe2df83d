"""Creates orders at the Delivery Service, each once, with nothing but Python 3.11. Set DLV_BASE_URL and DLV_API_KEY."""

import hashlib
import http.client
import json
import os
import random
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

BASE_URL = os.environ.get("DLV_BASE_URL", "").rstrip("/")
API_KEY = os.environ.get("DLV_API_KEY", "")
ATTEMPTS = 10


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the key to another host, and take its answer for the service's."""

    def redirect_request(self, *_):
        return None


IS_LOCAL = urllib.parse.urlsplit(BASE_URL).hostname in ("127.0.0.1", "::1", "localhost")
HTTP = urllib.request.build_opener(NoRedirect, urllib.request.ProxyHandler({} if IS_LOCAL else None))


class ServiceError(Exception):
    """The service refused a request; sending the same again changes nothing."""

    def __init__(self, status, error):
        super().__init__(f"{status} {error.get('code')}: {error.get('message')} (request {error.get('requestId')})")
        self.code = error.get("code")


def request(method, path, body=None, key=None):
    """Sends a request until there is a final answer. The key and the bytes are the same each time."""
    headers = {"Authorization": f"Bearer {API_KEY}", "Content-Type": "application/json"}
    if key is not None:
        headers["Idempotency-Key"] = key
    data = None if body is None else json.dumps(body).encode()
    for attempt in range(ATTEMPTS):
        wait = random.uniform(0.5, 1) * min(30, 0.5 * 2**attempt)
        try:
            sent = urllib.request.Request(BASE_URL + path, data, headers, method=method)
            with HTTP.open(sent, timeout=30) as response:
                return json.load(response)
        except urllib.error.HTTPError as answer:
            error = error_of(answer)
            if answer.code not in (429, 500, 502, 503, 504) and error.get("code") != "IDEMPOTENCY_CONFLICT":
                raise ServiceError(answer.code, error) from None
            seconds = answer.headers.get("Retry-After", "")
            wait = max(wait, float(seconds) if seconds.isdigit() else 0)
            reason = f"{answer.code} {error.get('code')}"
        except (OSError, http.client.HTTPException, ValueError) as lost:
            reason = f"no answer: {lost}"
        print(f"{method} {path}: {reason}; trying again in {wait:.1f} s", file=sys.stderr)
        time.sleep(wait)
    raise TimeoutError(f"{method} {path}: no final answer after {ATTEMPTS} attempts; run the same command again")


def error_of(answer):
    """The error of the contract; something in front of the service may answer with anything."""
    if answer.code < 400:
        return {"code": "REDIRECT", "message": f"not followed, check DLV_BASE_URL: {answer.headers.get('Location')}"}
    try:
        return dict(json.load(answer)["error"])
    except (ValueError, KeyError, TypeError, OSError, http.client.HTTPException):
        return {"code": None, "message": answer.reason}


def create(order):
    """Creates a delivery. The key is derived from the order, so that a second run repeats and does not create."""
    reference = order.get("clientOrderReference") if isinstance(order, dict) else None
    if not isinstance(reference, str) or not reference:
        raise ValueError("the order has no clientOrderReference")
    key = "order-" + hashlib.sha256(reference.encode()).hexdigest()
    try:
        return request("POST", "/deliveries", order, key)
    except ServiceError as error:  # The service forgets a key after a day, but not the reference.
        existing = list(deliveries(clientOrderReference=reference)) if error.code == "DUPLICATE_ORDER" else []
        if not existing:
            raise
        return existing[0]


def deliveries(**query):
    """All deliveries of a list, page by page. Pages may be short or empty: only a missing cursor is the end."""
    while True:
        page = request("GET", "/deliveries?" + urllib.parse.urlencode(query))
        yield from page["deliveries"]
        if not page.get("nextCursor"):
            return
        query["cursor"] = page["nextCursor"]


def main():
    if len(sys.argv) != 2 or not BASE_URL or not API_KEY:
        sys.exit("usage: python3 client.py ORDERS.ndjson, with DLV_BASE_URL and DLV_API_KEY set")
    with open(sys.argv[1], encoding="utf-8") as file:
        lines = [(number, line) for number, line in enumerate(file, 1) if line.strip()]
    failed, references = 0, set()
    oldest = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 86_400))
    for number, line in lines:
        try:
            delivery = create(json.loads(line))
            references.add(delivery["clientOrderReference"])
            oldest = min(oldest, delivery.get("createdAt") or oldest)
            print(delivery["clientOrderReference"], delivery["deliveryId"], delivery["status"])
        except (ServiceError, ValueError) as error:
            failed += 1
            print(f"line {number}: {error}", file=sys.stderr)
    found = [delivery["clientOrderReference"] for delivery in deliveries(**{"from": oldest, "limit": 100})]
    listed = sum(reference in references for reference in found)
    print(f"{len(lines)} orders, {failed} refused, {listed} deliveries")
    return 0 if listed == len(lines) and not failed else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (ServiceError, TimeoutError) as error:
        sys.exit(str(error))
