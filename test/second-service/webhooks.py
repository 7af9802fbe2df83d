"""Sends events to the endpoints of an account, signed, with the attempts of the contract."""

import base64
import hashlib
import heapq
import hmac
import http.client
import json
import ssl
import threading
import time
from urllib.parse import urlsplit

DELAYS = (0, 5, 300, 1800, 7200, 18000, 36000, 36000)


def signature(secret, webhook_id, timestamp, body):
    key = base64.b64decode(secret.removeprefix('whsec_'))
    signed = f'{webhook_id}.{timestamp}.'.encode() + body
    return 'v1,' + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


class Sender:
    """One thread, which posts what is due; an endpoint is {url, kind, insecure}."""

    def __init__(self):
        self.due, self.number, self.wake = [], 0, threading.Condition()
        threading.Thread(target=self.run, daemon=True).start()

    def on_event(self, account, event):
        for endpoint in account.endpoints:
            if endpoint['kind'] == 'all' or (endpoint['kind'] == 'driver') == event['type'].startswith('driver.'):
                self.plan(account, event, endpoint, 0)

    def plan(self, account, event, endpoint, attempt):
        with self.wake:
            self.number += 1
            heapq.heappush(self.due, (time.monotonic() + DELAYS[attempt], self.number, account, event, endpoint, attempt))
            self.wake.notify()

    def run(self):
        while True:
            with self.wake:
                while not self.due or self.due[0][0] > time.monotonic():
                    self.wake.wait(self.due[0][0] - time.monotonic() if self.due else None)
                _, _, account, event, endpoint, attempt = heapq.heappop(self.due)
            arrived = self.post(account, event, endpoint)
            with account.lock:
                event['attempts'] += 1
                event['attempted_at'] = account.now()
                event['status'] = 'arrived' if arrived else 'pending' if attempt + 1 < len(DELAYS) else 'failed'
            if not arrived and attempt + 1 < len(DELAYS):
                self.plan(account, event, endpoint, attempt + 1)

    def post(self, account, event, endpoint):
        body = json.dumps(event['data']).encode()
        stamp = str(int(account.now().timestamp()))
        headers = {'content-type': 'application/json', 'webhook-id': event['id'], 'webhook-timestamp': stamp,
                   'webhook-signature': ' '.join(signature(secret, event['id'], stamp, body) for secret in account.secrets)}
        url = urlsplit(endpoint['url'])
        if url.scheme == 'https':
            trust = ssl._create_unverified_context() if endpoint['insecure'] else ssl.create_default_context()
            connection = http.client.HTTPSConnection(url.hostname, url.port, timeout=10, context=trust)
        else:
            connection = http.client.HTTPConnection(url.hostname, url.port, timeout=10)
        try:
            connection.request('POST', url.path or '/', body, headers)
            return 200 <= connection.getresponse().status < 300
        except OSError:
            return False
        except http.client.HTTPException:
            return False
        finally:
            connection.close()
