"""The Delivery Service once more, from the text of its contract, in memory.

    python3 service.py [--liberties all|name,name] [--rate N] [--latency MS] [--host NAME] [--port N]
                       [--tls-cert FILE --tls-key FILE] [--until-eof]

Prints one line of JSON when it listens: its address, and the keys of its accounts `sandbox`, `fleet` and `live`.
`POST /control/<account>` beside the contract's path sets what a test needs: liberties, capabilities, endpoints,
clockOffset (seconds), loseAnswers (so many writes are executed and their answers lost), rate, reset, advance, tell.
"""

import argparse
import copy
import hashlib
import json
import re
import socket
import ssl
import sys
import threading
import time
from datetime import timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, quote, unquote, urlsplit

import liberties
import shapes
from account import STATUSES, TERMINAL, Account, Refused, parse_time
from webhooks import Sender

BASE = '/delivery/v1'
BRANCHES = ('army', 'navy', 'air_force', 'marine_corps', 'space_force', 'coast_guard', 'joint', 'dla')
AFTER_PICKUP = {'dropoff.instructions', 'dropoff.contactPhone', 'tipAmountCents'}
PICKED_UP = {'pickup_complete', 'driver_enroute_to_dropoff', 'driver_at_dropoff', 'return_in_progress'}


class Answer:
    def __init__(self, status, body, headers=None):
        self.status, self.body, self.headers = status, body, headers or {}


# Checks of what was asked

def invalid(account, field, code, message, business=False):
    pointer = f'$.{field}' if account.takes('field_pointers') else field
    status = 422 if business or account.takes('validation_422') else 400
    return Refused(status, 'VALIDATION_ERROR', message, {'fieldErrors': [
        {'field': pointer, 'code': 'NOT_LIKED' if account.takes('field_pointers') else code, 'message': message}]})


def check_order(account, order, partial=False):
    if not isinstance(order, dict):
        raise invalid(account, '', 'INVALID_TYPE', 'The body must be an object.')
    reference = order.get('clientOrderReference')
    if not partial and (not isinstance(reference, str) or not reference):
        raise invalid(account, 'clientOrderReference', 'REQUIRED', 'A reference is required.')
    dropoff = order.get('dropoff')
    if not partial and not isinstance(dropoff, dict):
        raise invalid(account, 'dropoff', 'REQUIRED', 'A dropoff is required.')
    dropoff = dropoff or {}
    check_dropoff(account, dropoff, required=not partial)
    phone = dropoff.get('contactPhone')
    if phone is not None and not re.fullmatch(r'\+[1-9]\d{6,14}', str(phone)):
        raise Refused(400, 'INVALID_PHONE_NUMBER', f'{phone} is not E.164.')
    if len(str(dropoff.get('instructions') or '')) > 280:
        raise invalid(account, 'dropoff.instructions', 'TOO_LONG', 'At most 280 characters.')
    store = (order.get('pickup') or {}).get('storeReference')
    if store is not None and store not in account.stores:
        raise Refused(422, 'INVALID_STORE_REFERENCE', f'No store {store}.', {'storeReference': store})
    check_windows(account, order.get('timeWindows') or {})
    if order.get('dispatch'):
        if not account.capabilities['ownedFleetDispatch']:
            raise Refused(422, 'UNSUPPORTED_REQUIREMENT', 'Directed dispatch is not enabled.')
        team = order['dispatch'].get('teamReference')
        if team is not None and team not in [one['id'] for one in account.teams]:
            raise Refused(422, 'INVALID_TEAM_REFERENCE', f'No team {team}.')
    if account.takes('error_codes') and 'unlikely' in str((order.get('package') or {}).get('description')):
        raise Refused(422, 'PARCEL_TOO_UNLIKELY', 'Nobody carries this.', {'weight': None})


def check_dropoff(account, dropoff, required):
    address = dropoff.get('address')
    if required and address is None and not (dropoff.get('installation') or {}).get('code'):
        raise invalid(account, 'dropoff.address', 'REQUIRED', 'An address is required.')
    if isinstance(address, dict) and address.get('postalCode') and not re.fullmatch(r'\d{5}(-?\d{4})?', str(address['postalCode'])):
        raise invalid(account, 'dropoff.address.postalCode', 'INVALID_FORMAT', 'Five or nine digits.')
    text = address if isinstance(address, str) else ' '.join(str(part) for part in (address or {}).values())
    if re.search(r'\b(APO|FPO|DPO)\b', text):
        raise Refused(422, 'UNSUPPORTED_DESTINATION', 'Military mail is not served.')
    if 'nowhere' in text.lower():
        raise Refused(422, 'INVALID_ADDRESS', 'It cannot be found.')


def check_windows(account, windows):
    for name in ('pickup', 'dropoff'):
        window = windows.get(name)
        if not window:
            continue
        start, end = parse_time(window.get('start')), parse_time(window.get('end'))
        if start is None or end is None or end <= start or end <= account.now():
            raise Refused(422, 'INVALID_TIME_CONSTRAINT', f'The {name} window cannot be met.')


def check_installation(account, order):
    code = ((order.get('dropoff') or {}).get('installation') or {}).get('code')
    if code is None:
        return
    one = next((each for each in shapes.INSTALLATIONS if each['code'] == code), None)
    if one is None:
        raise Refused(422, 'INSTALLATION_NOT_SERVED', f'{code} is not served.')
    if not one['acceptingDeliveries']:
        raise Refused(422, 'INSTALLATION_NOT_ACCEPTING_DELIVERIES', f'{code} is closed.')
    banned = set((order.get('package') or {}).get('contains') or []) & set(one['prohibitedCargo'])
    if banned:
        raise Refused(422, 'PROHIBITED_CARGO_FOR_DESTINATION', ', '.join(sorted(banned)))


def merged(old, new):
    """The contract's shallow merge of top-level and nested objects; null clears."""
    result = dict(old)
    for name, value in new.items():
        if value is None:
            result.pop(name, None)
        elif isinstance(value, dict) and isinstance(result.get(name), dict) and name != 'address':
            result[name] = merged(result[name], value)
        else:
            result[name] = value
    return result


def leaves(value, path=''):
    for name, one in value.items():
        if isinstance(one, dict) and one:
            yield from leaves(one, f'{path}{name}.')
        else:
            yield f'{path}{name}'


def page(account, rows, query, name, shaped):
    limit = int_of(account, query, 'limit', 50)
    if not 1 <= limit <= 100:
        raise invalid(account, 'limit', 'OUT_OF_RANGE', 'From 1 to 100.')
    cursor = query.get('cursor', [None])[0]
    start, empty = 0, False
    if cursor is not None:
        match = re.fullmatch(r'(?:[^0-9]*)(\d+)(e?)(?:[^0-9]*)', cursor)
        if match is None:
            raise invalid(account, 'cursor', 'INVALID_FORMAT', 'Not a cursor of this service.')
        start, empty = int(match[1]), match[2] == 'e'
    size = max(1, min(limit, 2)) if account.takes('short_pages') else limit
    if empty:
        return {name: [], 'nextCursor': cursor_of(account, start)}
    end = start + size
    more = end < len(rows)
    return shapes.finished(account, {name: [shaped(one) for one in rows[start:end]],
                                     'nextCursor': cursor_of(account, end, account.takes('short_pages') and start == 0) if more else None})


def cursor_of(account, at, empty=False):
    text = f"{at}{'e' if empty else ''}"
    return '+/=&?#% ~' * 20 + text + '"é;' if account.takes('cursor_shape') else f'c{text}x'


def int_of(account, query, name, default):
    try:
        return int(query.get(name, [default])[0])
    except ValueError:
        raise invalid(account, name, 'INVALID_FORMAT', 'A whole number.') from None


def time_of(account, query, name, default):
    if name not in query:
        return default
    value = parse_time(query[name][0])
    if value is None:
        raise invalid(account, name, 'INVALID_FORMAT', 'A date-time.')
    return value


def bool_of(account, query, name):
    if name not in query:
        return None
    if query[name][0] not in ('true', 'false'):
        raise invalid(account, name, 'INVALID_FORMAT', 'true or false.')
    return query[name][0] == 'true'


# Operations

def find(account, delivery_id):
    if delivery_id not in account.deliveries:
        raise Refused(404, 'DELIVERY_NOT_FOUND', f'No delivery {delivery_id}.')
    return account.deliveries[delivery_id]


def get_capabilities(account, request):
    return Answer(200, shapes.capabilities(account))


def post_quotes(account, request):
    if not account.capabilities['quotes']:
        raise Refused(403, 'QUOTES_NOT_SUPPORTED', 'Quoting is not enabled.')
    order = request.json()
    if not isinstance(order, dict) or not isinstance(order.get('dropoff'), dict):
        raise invalid(account, 'dropoff', 'REQUIRED', 'A dropoff is required.')
    check_order(account, order, partial=True)
    now = account.now()
    expires = now + timedelta(minutes=10)
    if 'far away' in json.dumps(order['dropoff'].get('address')).lower():
        return Answer(200, shapes.quotes(account, order, [], expires, 'OUTSIDE_COVERAGE'))
    offers = [{'id': account.new_id('qot'), 'carrier': account.new_id('car'), 'cents': cents, 'pickup': now + timedelta(minutes=20),
               'dropoff': now + timedelta(minutes=50), 'expires': expires} for cents in (1310, 1150)]
    for offer in offers:
        account.quotes[offer['id']] = offer
    return Answer(200, shapes.quotes(account, order, offers, expires, None))


def list_deliveries(account, request):
    query = request.query
    reference = query.get('clientOrderReference', [None])[0]
    rows = sorted(account.deliveries.values(), key=lambda one: (one['createdAt'], one['order_number']), reverse=True)
    if reference is not None:
        if len(reference) > 128:
            raise invalid(account, 'clientOrderReference', 'TOO_LONG', 'At most 128 characters.')
        found = [one for one in rows if one['clientOrderReference'] == reference][:1]
        if account.takes('reference_array'):
            return Answer(200, [shapes.list_item(account, one) for one in found])
        return Answer(200, page(account, found, {}, 'deliveries', lambda one: shapes.list_item(account, one)))
    if 'from' not in query:
        raise invalid(account, 'from', 'REQUIRED', 'from or clientOrderReference is required.')
    start, end = time_of(account, query, 'from', None), time_of(account, query, 'to', account.now())
    status = query.get('status', [None])[0]
    known = STATUSES + (['held'] if account.takes('held_status') else [])
    if status is not None and status not in known:
        raise invalid(account, 'status', 'INVALID_VALUE', f'{status} is not a status.')
    rows = [one for one in rows if start <= one['createdAt'] < end and status in (None, one['status'])]
    return Answer(200, page(account, rows, query, 'deliveries', lambda one: shapes.list_item(account, one)))


def post_delivery(account, request):
    if 'Idempotency-Key' not in request.headers:
        raise invalid(account, 'Idempotency-Key', 'REQUIRED', 'The header is required.')

    def execute():
        order = request.json()
        check_order(account, order)
        account.refuse_duplicates(order['clientOrderReference'])
        offer = account.quotes.get(order['quoteId']) if order.get('quoteId') else None
        if order.get('quoteId') and offer is None:
            raise invalid(account, 'quoteId', 'UNKNOWN', 'No such quote.', business=True)
        if offer is not None and offer['expires'] <= account.now():
            raise Refused(409, 'QUOTE_EXPIRED', 'The quote has expired.')
        check_installation(account, order)
        return Answer(201, shapes.delivery(account, account.create(order)))

    return once(account, request, execute)


def once(account, request, execute):
    """Carries a write out under its Idempotency-Key; runs under the account's lock."""
    key = request.headers.get('Idempotency-Key')
    if key is None:
        return execute()
    if len(key) > 128:
        raise invalid(account, 'Idempotency-Key', 'TOO_LONG', 'At most 128 characters.')
    body = request.body if account.takes('body_bytes') else json.dumps(request.json(), sort_keys=True).encode()
    print_of = hashlib.sha256(f'{request.method} {request.path}\n'.encode() + body).hexdigest()
    kept = account.keys.get(key)
    if kept is not None:
        if kept['print'] != print_of:
            raise Refused(409, 'IDEMPOTENCY_KEY_REUSED', 'This key was used with another body.')
        if kept['refused'] is not None:
            raise kept['refused']
        return Answer(200, copy.deepcopy(kept['body']), {'Idempotency-Replayed': 'true'})
    account.forget_old()
    entry = {'print': print_of, 'at': account.now(), 'refused': None, 'body': None}
    try:
        answer = execute()
    except Refused as refused:
        if account.takes('refusals_kept'):
            account.keys[key] = {**entry, 'refused': refused}
        raise
    account.keys[key] = {**entry, 'body': copy.deepcopy(answer.body)}
    return answer


def get_delivery(account, request, delivery_id):
    return Answer(200, shapes.delivery(account, find(account, delivery_id), with_history=True))


def patch_delivery(account, request, delivery_id):
    delivery, change = find(account, delivery_id), request.json()
    check_order(account, change, partial=True)
    if delivery['status'] in TERMINAL:
        raise Refused(409, 'INVALID_STATE_TRANSITION', f'It is {delivery["status"]}.', {'status': delivery['status']})
    if delivery['status'] in PICKED_UP and not set(leaves(change)) <= AFTER_PICKUP:
        raise Refused(409, 'INVALID_STATE_TRANSITION', 'Only instructions, phone and tip change after pickup.')
    contains = (delivery['order'].get('package') or {}).get('contains') or []
    identity = (((change.get('verification') or {}).get('dropoff') or {}).get('identity') or {}).get('level')
    if 'alcohol' in contains and identity in ('none', 'preferred'):
        raise Refused(422, 'UNSUPPORTED_REQUIREMENT', 'Alcohol requires the identity check.')
    delivery['order'] = merged(delivery['order'], change)
    delivery['clientOrderReference'] = delivery['order']['clientOrderReference']
    delivery['updatedAt'] = account.now()
    if delivery['status'] == 'dispatch_failed':
        account.move(delivery, 'accepted')
    return Answer(200, shapes.delivery(account, delivery))


def cancel_delivery(account, request, delivery_id):
    def execute():
        delivery = find(account, delivery_id)
        if delivery['status'] in TERMINAL:
            raise Refused(409, 'INVALID_STATE_TRANSITION', f'It is {delivery["status"]}.', {'status': delivery['status']})
        if account.capabilities['cancellationFees'] and delivery['driver'] is not None:
            delivery['fee'] = 350
        account.move(delivery, 'cancelled', 'cancelled_by_merchant')
        return Answer(200, shapes.delivery(account, delivery))

    return once(account, request, execute)


def simulate(account, request, delivery_id):
    if account.live:
        raise Refused(403, 'SANDBOX_ONLY', 'Simulation needs a sandbox key.')
    delivery, asked = find(account, delivery_id), request.json()
    emitted = account.advance(delivery, asked.get('advanceTo'), asked.get('statusReasonCode'), asked.get('emitIntermediateEvents') is not False)
    return Answer(200, shapes.finished(account, {'deliveryId': delivery_id, 'livemode': shapes.livemode(account), 'status': delivery['status'], 'emittedEvents': emitted}))


def list_drivers(account, request):
    team, duty = request.query.get('teamId', [None])[0], bool_of(account, request.query, 'onDuty')
    busy = {one['driver']['id'] for one in account.deliveries.values() if one['driver'] and one['status'] not in TERMINAL}
    return Answer(200, [shapes.driver(account, one) for one in account.drivers
                        if (team is None or team in one['teams']) and (duty is None or one['onDuty'] == duty)
                        and (account.kind == 'owned_fleet' or not account.takes('drivers_hidden') or one['id'] in busy)])


def get_driver(account, request, driver_id):
    for one in account.drivers:
        if one['id'] == driver_id and account.kind == 'owned_fleet':
            return Answer(200, shapes.driver(account, one))
    raise Refused(404, 'DRIVER_NOT_FOUND', f'No driver {driver_id}.')


def list_teams(account, request):
    return Answer(200, [shapes.team(account, one) for one in account.teams])


def list_installations(account, request):
    query = request.query
    state, branch = query.get('state', [None])[0], query.get('branch', [None])[0]
    if state is not None and not re.fullmatch('[A-Z]{2}', state):
        raise invalid(account, 'state', 'INVALID_FORMAT', 'Two capital letters.')
    if branch is not None and branch not in BRANCHES:
        raise invalid(account, 'branch', 'INVALID_VALUE', 'Not a branch.')
    accepting = bool_of(account, query, 'acceptingDeliveries')
    rows = [one for one in shapes.INSTALLATIONS if state in (None, one['state']) and branch in (None, one['branch'])
            and accepting in (None, one['acceptingDeliveries'])]
    return Answer(200, page(account, rows, query, 'installations', lambda one: shapes.installation(account, one, listed=True)))


def get_installation(account, request, code):
    for one in shapes.INSTALLATIONS:
        if one['code'] == code:
            return Answer(200, shapes.installation(account, one))
    raise Refused(404, 'INSTALLATION_NOT_FOUND', f'No installation {code}.')


def post_serviceability(account, request):
    asked = request.json()
    dropoff = asked.get('dropoff') or {}
    check_windows(account, {})
    code, refused = (dropoff.get('installation') or {}).get('code'), None
    one = next((each for each in shapes.INSTALLATIONS if each['code'] == code), None)
    if code is not None and one is None:
        refused = 'unsupported_destination_type'
    elif one is not None and not one['acceptingDeliveries']:
        refused = 'gate_closed'
    elif re.search(r'\b(APO|FPO|DPO)\b', json.dumps(dropoff.get('address') or '')):
        refused = 'unsupported_destination_type'
    return Answer(200, shapes.serviceability(account, one, refused, account.now()))


def list_events(account, request):
    query, now = request.query, account.now()
    since, until = time_of(account, query, 'since', now - timedelta(hours=24)), time_of(account, query, 'until', now)
    if since < now - timedelta(days=30, minutes=5):
        raise invalid(account, 'since', 'TOO_OLD', 'At most 30 days ago.')
    account.forget_old()
    delivered, types, delivery_id = bool_of(account, query, 'delivered'), query.get('eventType'), query.get('deliveryId', [None])[0]
    rows = [event for event in sorted(account.events, key=lambda one: one['at']) if since <= event['at'] < until
            and delivered in (None, event['status'] == 'arrived') and delivery_id in (None, event['delivery'])
            and (types is None or event['type'] in types)]
    return Answer(200, page(account, rows, query, 'events', lambda event: shapes.event_record(account, event)))


ROUTES = [
    ('GET', r'/capabilities', get_capabilities),
    ('POST', r'/quotes', post_quotes),
    ('GET', r'/deliveries', list_deliveries),
    ('POST', r'/deliveries', post_delivery),
    ('GET', r'/deliveries/([^/]+)', get_delivery),
    ('PATCH', r'/deliveries/([^/]+)', patch_delivery),
    ('POST', r'/deliveries/([^/]+)/cancel', cancel_delivery),
    ('POST', r'/deliveries/([^/]+)/simulate', simulate),
    ('GET', r'/drivers', list_drivers),
    ('GET', r'/drivers/([^/]+)', get_driver),
    ('GET', r'/teams', list_teams),
    ('GET', r'/installations', list_installations),
    ('GET', r'/installations/([^/]+)', get_installation),
    ('POST', r'/serviceability', post_serviceability),
    ('GET', r'/events', list_events),
]
WRITES = (post_delivery, patch_delivery, cancel_delivery, simulate)


class Handler(BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    server_version, sys_version = 'second', ''

    def log_message(self, *words):
        pass

    def handle_any(self):
        self.method, address = self.command, urlsplit(self.path)
        self.path_only = address.path
        self.body = self.rfile.read(int(self.headers.get('Content-Length') or 0))
        self.query = parse_qs(address.query, keep_blank_values=True)
        if self.server.latency:
            time.sleep(self.server.latency)
        if address.path.startswith('/control/'):
            return self.control(address.path.removeprefix('/control/'))
        if address.path.startswith('/files/'):
            return self.file(address.path.split('/')[2])
        if address.path == f'{BASE}/health':
            return self.health()
        self.serve(address.path)

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = handle_any

    def json(self):
        try:
            return json.loads(self.body or b'{}')
        except ValueError:
            raise Refused(400, 'VALIDATION_ERROR', 'The body is not JSON.') from None

    def serve(self, path):
        scheme, _, key = (self.headers.get('Authorization') or '').partition(' ')
        account = self.server.by_key.get(key) if scheme == 'Bearer' else None
        if account is None:
            return self.refuse(self.server.anonymous, Refused(401, 'UNAUTHORIZED', 'The key is missing or not valid.'))
        with account.lock:
            if not self.within_rate(account):
                return self.refuse(account, Refused(429, 'RATE_LIMIT_EXCEEDED', 'Too many requests.'), {'Retry-After': '1'})
            try:
                answer, write = self.execute(account, path)
            except Refused as refused:
                return self.refuse(account, refused)
            except (AttributeError, TypeError, KeyError, ValueError) as error:
                return self.refuse(account, invalid(account, '', 'INVALID_TYPE', f'{error!r}'))
            lost = write and account.lose_answers > 0
            if lost:
                account.lose_answers -= 1
        if lost:
            self.close_connection = True
            return self.connection.shutdown(socket.SHUT_RDWR)
        self.send(account, answer.status, answer.body, answer.headers)

    def execute(self, account, path):
        for method, pattern, operation in ROUTES:
            match = re.fullmatch(BASE + pattern, path)
            if match and method == self.method:
                return operation(account, self, *(unquote(part) for part in match.groups())), operation in WRITES
        raise Refused(404, 'NOT_FOUND', f'No {self.method} {path}.')

    def within_rate(self, account):
        now = time.monotonic()
        while account.requests and account.requests[0] <= now - 1:
            account.requests.popleft()
        if len(account.requests) >= account.rate:
            return False
        account.requests.append(now)
        return True

    def refuse(self, account, refused, headers=None):
        details = refused.details
        if details is None or 'fieldErrors' not in details:
            if account.takes('details_list'):
                details = ['first of all', refused.message]
            elif account.takes('details_text'):
                details = f'In short: {refused.message}'
        error = {'code': refused.code, 'message': refused.message, 'requestId': self.request_id(account)}
        if details is not None or account.takes('details_null'):
            error['details'] = details
        self.send(account, refused.status, {'error': shapes.finished(account, error)}, headers)

    def request_id(self, account):
        if not hasattr(self, 'current_id') or self.current_id is None:
            self.current_id = account.new_id('req')
        return self.current_id

    def health(self):
        account = self.server.anonymous
        with account.lock:
            now = time.monotonic()
            if account.takes('health_limit'):
                if account.health_at is not None and now - account.health_at < 30:
                    wait = str(int(30 - (now - account.health_at)) + 1)
                    return self.refuse(account, Refused(429, 'RATE_LIMIT_EXCEEDED', 'Too many requests.'), {'Retry-After': wait})
                account.health_at = now
        degraded = account.takes('health_degraded')
        body = {'status': 'degraded' if degraded else 'healthy', 'checkedAt': None if account.takes('checked_at_null') else shapes.text_of(account, account.now())}
        self.send(account, 503 if degraded else 200, shapes.finished(account, body), {'Retry-After': '1'} if degraded else None)

    def file(self, name):
        account = self.server.accounts.get(name)
        if account is None or account.takes('proof_gone'):
            return self.plain(404, b'gone', 'text/plain')
        self.plain(200, b'\x89PNG\r\n\x1a\n' + bytes(64), 'image/png')

    def plain(self, status, body, content_type):
        self.send_response(status)
        self.send_header('Content-Type', content_type)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def send(self, account, status, body, headers=None):
        data = json.dumps(body).encode()
        left, reset = max(0, account.rate - len(account.requests)), int(account.now().timestamp()) + 1
        policy, limit = f'default;q={account.rate};w=1', f'default;r={left};t=1'
        if account.takes('quoted_policy'):
            policy, limit = f'"per-key";q={account.rate};w=1', f'"per-key";r={left};t=1'
        if account.takes('several_policies'):
            policy, limit = f'{policy}, "daily";q=500000;w=86400', f'{limit}, "daily";r=499000;t=40000'
        fields = {'Content-Type': 'application/json;charset=utf-8' if account.takes('header_names') else 'application/json',
                  'X-Request-Id': self.request_id(account), 'RateLimit': limit, 'RateLimit-Policy': policy, 'X-RateLimit-Limit': str(account.rate),
                  'X-RateLimit-Remaining': str(left), 'X-RateLimit-Reset': str(reset), **(headers or {})}
        self.current_id = None
        chunked = account.takes('chunked')
        fields['Transfer-Encoding' if chunked else 'Content-Length'] = 'chunked' if chunked else str(len(data))
        self.send_response_only(status)
        self.send_header('Date', format_datetime(account.now(), usegmt=True))
        for name, value in fields.items():
            self.send_header(name.lower() if account.takes('header_names') else name, value)
        self.end_headers()
        if not chunked:
            self.wfile.write(data)
            return
        for at in range(0, len(data), 700):
            part = data[at:at + 700]
            self.wfile.write(f'{len(part):x}\r\n'.encode() + part + b'\r\n')
        self.wfile.write(b'0\r\n\r\n')

    def control(self, name):
        asked, answer = self.json(), {}
        accounts = list(self.server.accounts.values()) + [self.server.anonymous] if name == 'all' else [self.server.accounts[name]]
        for account in accounts:
            with account.lock:
                try:
                    answer = control(account, asked)
                except (Refused, ValueError, KeyError) as error:
                    return self.plain(400, json.dumps({'error': repr(error)}).encode(), 'application/json')
        self.plain(200, json.dumps(answer).encode(), 'application/json')


def control(account, asked):
    answer = {}
    if asked.get('reset'):
        account.reset()
        account.endpoints, account.liberties, account.clock_offset, account.lose_answers = [], set(), 0, 0
    if 'liberties' in asked:
        account.liberties = liberties.named(asked['liberties'])
    if 'capabilities' in asked:
        account.capabilities.update(asked['capabilities'])
    if 'rate' in asked:
        account.rate = account.capabilities['maxRequestsPerSecond'] = asked['rate']
    if 'clockOffset' in asked:
        account.clock_offset = asked['clockOffset']
    if 'loseAnswers' in asked:
        account.lose_answers = asked['loseAnswers']
    if 'secrets' in asked:
        account.secrets = asked['secrets']
    for endpoint in asked.get('endpoints', []):
        if not endpoint['url'].startswith('https:') and not endpoint.get('insecure'):
            raise ValueError('Transport is HTTPS; plain HTTP is rejected.')
        account.endpoints.append({'kind': 'all', 'insecure': False, **endpoint})
    if 'orders' in asked:
        answer['ids'] = [account.create(order, account.now() - timedelta(seconds=asked.get('ago', 0)))['deliveryId'] for order in asked['orders']]
    if 'advance' in asked:
        answer['emitted'] = account.advance(find(account, asked['advance']['deliveryId']), asked['advance']['to'], asked['advance'].get('reason'))
    if 'tell' in asked:
        subject = account.drivers[0] if asked['tell'].startswith('driver.') else shapes.INSTALLATIONS[0] if asked['tell'].startswith('installation.') else {'text': 'hello'}
        for _ in range(asked.get('times', 1)):
            answer['eventId'] = account.tell(asked['tell'], subject, None, account.now())['id']
    answer['deliveries'] = [{'deliveryId': one['deliveryId'], 'clientOrderReference': one['clientOrderReference'], 'status': one['status'],
                             'order': one['order'], 'history': [entry['status'] for entry in one['history']]} for one in account.deliveries.values()]
    answer['events'] = [{name: event[name] for name in ('id', 'type', 'status', 'attempts')} for event in account.events]
    return answer


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


def main():
    options = argparse.ArgumentParser()
    options.add_argument('--liberties', default='')
    options.add_argument('--rate', type=int, default=20)
    options.add_argument('--latency', type=int, default=0)
    options.add_argument('--host', default='127.0.0.1')
    options.add_argument('--port', type=int, default=0)
    options.add_argument('--until-eof', action='store_true', help='end when standard input closes')
    options.add_argument('--tls-cert')
    options.add_argument('--tls-key')
    chosen = options.parse_args()

    server = Server((chosen.host, chosen.port), Handler)
    scheme = 'http'
    if chosen.tls_cert:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(chosen.tls_cert, chosen.tls_key)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        scheme = 'https'
    url = f'{scheme}://{chosen.host}:{server.server_address[1]}{BASE}'
    server.latency = chosen.latency / 1000
    server.accounts = {
        'sandbox': Account('sandbox', 'second-7c1e-sandbox', rate=chosen.rate),
        'fleet': Account('fleet', 'second-7c1e-fleet', kind='owned_fleet', rate=chosen.rate),
        'live': Account('live', 'second-7c1e-live', live=True, rate=chosen.rate),
    }
    server.anonymous = Account('anonymous', '', rate=chosen.rate)
    sender = Sender()
    for account in [*server.accounts.values(), server.anonymous]:
        account.liberties = liberties.named(chosen.liberties)
        account.base_url, account.on_event = url, sender.on_event
        account.payload = shapes.payload.__get__(account)
    server.by_key = {account.key: account for account in server.accounts.values()}
    print(json.dumps({'url': url, 'keys': {name: account.key for name, account in server.accounts.items()},
                      'secret': server.accounts['sandbox'].secrets[0]}), flush=True)
    if chosen.until_eof:
        threading.Thread(target=lambda: (sys.stdin.read(), server.shutdown()), daemon=True).start()
    server.serve_forever(poll_interval=0.2)


if __name__ == '__main__':
    main()
