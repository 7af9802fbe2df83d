"""One account of the second service: its deliveries, quotes, fleet, events and the keys it has seen."""

import itertools
import random
import threading
from collections import deque
from datetime import datetime, timedelta, timezone

MILESTONES = ['accepted', 'driver_assigned', 'driver_enroute_to_pickup', 'driver_at_pickup', 'pickup_complete',
              'driver_enroute_to_dropoff', 'driver_at_dropoff', 'delivered']
TERMINAL = {'delivered', 'failed', 'returned', 'cancelled', 'expired'}
STATUSES = MILESTONES + ['dispatch_failed', 'scheduled', 'reassigning', 'failed', 'return_in_progress', 'returned',
                         'cancelled', 'expired']
REASONS = {'failed': 'recipient_unavailable', 'cancelled': 'cancelled_by_service', 'expired': 'no_carrier_available',
           'dispatch_failed': 'no_carrier_available', 'return_in_progress': 'recipient_unavailable'}


class Refused(Exception):
    """An error of the contract."""

    def __init__(self, status, code, message, details=None):
        super().__init__(message)
        self.status, self.code, self.message, self.details = status, code, message, details


class Account:
    def __init__(self, name, key, kind='marketplace', live=False, rate=20, secret='whsec_c2Vjb25kLXNlcnZpY2UtaXRzLXNlY3JldA=='):
        self.name, self.key, self.kind, self.live, self.rate = name, key, kind, live, rate
        self.lock = threading.RLock()
        self.secrets = [secret]
        self.endpoints = []
        self.capabilities = {
            'quotes': True, 'marketplaceDispatch': kind == 'marketplace', 'ownedFleetDispatch': kind == 'owned_fleet',
            'returns': True, 'requirementEnforcement': True, 'driverLocationStreaming': True,
            'routeOptimization': False, 'itemLevelPackage': False, 'cancellationFees': True, 'maxRequestsPerSecond': rate,
        }
        self.stores = {'MAIN-ST': 'Second Street Bakery', 'HARBOR': 'Harbor Flowers'}
        self.liberties = set()
        self.clock_offset = 0
        self.lose_answers = 0
        self.reset()

    def reset(self):
        self.numbers = itertools.count(1)
        self.random = random.Random(7)
        self.deliveries, self.quotes, self.events, self.keys = {}, {}, [], {}
        self.requests = deque()
        self.health_at = None
        self.drivers = [
            {'id': self.new_id('drv'), 'name': name, 'phoneNumber': phone, 'onDuty': duty, 'status': 'active',
             'teams': teams, 'vehicleDescription': vehicle}
            for name, phone, duty, teams, vehicle in (
                ('Imke Brandt', '+14045550181', True, ['team-north'], 'grey van'),
                ('Tomás Rey', '+14045550182', True, ['team-south'], 'cargo bicycle'),
                ('Ada Quist', '+14045550183', False, ['team-north', 'team-south'], 'red scooter'))]
        self.teams = [{'id': f'team-{at}', 'name': f'{at.title()} side', 'workerCount': 2, 'hubDestinationId': f'hub-{at}'}
                      for at in ('north', 'south')] if self.kind == 'owned_fleet' else []

    def takes(self, liberty):
        return liberty in self.liberties

    # Time

    def now(self):
        return datetime.now(timezone.utc) + timedelta(seconds=self.clock_offset)

    def new_id(self, prefix):
        number = next(self.numbers)
        if not self.takes('ids'):
            return f'{prefix}_{self.random.getrandbits(60):015x}{number:04d}'
        return {'del': f'D:{number:05d}~X.{self.random.getrandbits(20):05X}', 'evt': f'{number * 7919:09d}',
                'drv': f'UNIT.{number}', 'qot': f'{number}:offer', 'car': f'{number}', 'req': f'R{number}~a'}[prefix]

    # Deliveries

    def refuse_duplicates(self, reference):
        for delivery in self.deliveries.values():
            if delivery['clientOrderReference'] != reference:
                continue
            if self.takes('references_recur') and delivery['status'] in TERMINAL:
                continue
            raise Refused(409, 'DUPLICATE_ORDER', f'The reference {reference} is taken.', {'deliveryId': delivery['deliveryId']})

    def create(self, order, at=None):
        now = at or self.now()
        delivery = {
            'deliveryId': self.new_id('del'), 'clientOrderReference': order['clientOrderReference'], 'status': None,
            'statusReason': None, 'statusReasonCode': None, 'history': [], 'order': order, 'driver': None, 'proofs': [],
            'fee': None, 'createdAt': now, 'updatedAt': now, 'order_number': next(self.numbers),
        }
        self.deliveries[delivery['deliveryId']] = delivery
        window = ((order.get('timeWindows') or {}).get('dropoff') or {}).get('start')
        if self.takes('held_status'):
            first = 'held'
        else:
            first = 'scheduled' if window is not None and parse_time(window) > now + timedelta(hours=1) else 'accepted'
        self.move(delivery, first, at=now)
        return delivery

    def move(self, delivery, status, reason=None, at=None):
        previous, now = delivery['status'], at or self.now()
        if status == 'driver_assigned':
            delivery['driver'] = next((one for one in self.drivers if one['onDuty']), None)
        if status == 'delivered':
            self.add_proof(delivery, now)
        delivery['status'] = status
        delivery['updatedAt'] = now
        if status in REASONS:
            code = reason or ('held_at_counter' if self.takes('reason_codes') else REASONS[status])
            delivery['statusReasonCode'], delivery['statusReason'] = code, f'It ended so: {code}.'
        else:
            delivery['statusReasonCode'] = delivery['statusReason'] = None
        delivery['history'].append({'status': status, 'at': now})
        return self.tell(f'delivery.{status}', delivery, previous, now)

    def add_proof(self, delivery, now):
        asked = (delivery['order'].get('verification') or {}).get('dropoff') or {'photo': {}}
        for mechanism in asked:
            if mechanism in ('photo', 'signature', 'barcode', 'pinCode'):
                number = len(delivery['proofs']) + 1
                delivery['proofs'].append({'type': mechanism.lower(), 'stage': 'dropoff', 'at': now, 'number': number})

    def neighbours(self, status):
        """Where a status can go. The contract does not list every transition; the rest is this service's."""
        steps = []
        if status in MILESTONES[:-1]:
            steps.append(MILESTONES[MILESTONES.index(status) + 1])
        if status in MILESTONES[1:-1]:
            steps.append('failed')
        if status in MILESTONES[1:4]:
            steps.append('reassigning')
        if status in ('accepted', 'scheduled', 'reassigning'):
            steps += ['dispatch_failed', 'expired']
        if status == 'reassigning':
            steps.append('driver_assigned')
        if status == 'scheduled' or status == 'dispatch_failed':
            steps.append('accepted')
        if status == 'dispatch_failed':
            steps.append('expired')
        if status in ('failed', 'driver_at_dropoff') and self.capabilities['returns']:
            steps.append('return_in_progress')
        if status == 'return_in_progress':
            steps.append('returned')
        if self.takes('held_status'):
            if status == 'held':
                steps += ['accepted', 'expired']
            elif status in ('accepted', 'scheduled'):
                steps.append('held')
        if status not in TERMINAL:
            steps.append('cancelled')
        return steps

    def way(self, start, goal):
        ways, seen = deque([[start]]), {start}
        while ways:
            way = ways.popleft()
            for step in self.neighbours(way[-1]):
                if step == goal:
                    return way[1:] + [step]
                if step not in seen:
                    seen.add(step)
                    ways.append(way + [step])
        return None

    def advance(self, delivery, goal, reason=None, intermediate=True):
        known = goal in STATUSES or (goal == 'held' and self.takes('held_status'))
        way = self.way(delivery['status'], goal) if known else None
        if way is None:
            code = 'INVALID_STATE_TRANSITION' if self.takes('simulate_refusal') else 'VALIDATION_ERROR'
            raise Refused(422, code, f'No move from {delivery["status"]} to {goal}.', {'from': delivery['status']})
        told = []
        for status in way if intermediate else way[-1:]:
            told.append(self.move(delivery, status, reason if status == goal else None))
            if self.takes('event_types') and status == 'driver_assigned':
                told.append(self.tell('delivery.route_planned', delivery, None, self.now()))
            if status == 'driver_enroute_to_dropoff':
                told.append(self.tell('delivery.driver_location_updated', delivery, None, self.now()))
                told.append(self.tell('delivery.eta_updated', delivery, None, self.now()))
            if status == 'delivered':
                told.append(self.tell('delivery.proof_of_delivery_added', delivery, None, self.now()))
        informational = ('route_planned', 'driver_location_updated', 'eta_updated', 'proof_of_delivery_added')
        return [event['type'] for event in told
                if self.takes('emitted_extra') or event['type'].split('.')[1] not in informational]

    # Events

    def tell(self, event_type, subject, previous, now):
        """Records an event with the payload as it is now; who sends webhooks is told by `on_event`."""
        event = {'id': self.new_id('evt'), 'type': event_type, 'at': now, 'delivery': None, 'attempts': 0,
                 'status': 'pending' if self.endpoints else 'no_endpoint_configured', 'attempted_at': None}
        if event_type.startswith('delivery.'):
            event['delivery'] = subject['deliveryId']
        event['data'] = self.payload(event, subject, previous)
        self.events.append(event)
        self.on_event(self, event)
        return event

    def payload(self, event, subject, previous):
        raise NotImplementedError('set by the service')

    def on_event(self, account, event):
        raise NotImplementedError('set by the service')

    # What is kept of keys

    def forget_old(self):
        now = self.now()
        self.keys = {key: kept for key, kept in self.keys.items() if kept['at'] > now - timedelta(hours=24)}
        self.events = [event for event in self.events if event['at'] > now - timedelta(days=30)]


def parse_time(text):
    try:
        value = datetime.fromisoformat(str(text).replace('Z', '+00:00'))
    except ValueError:
        return None
    return value if value.tzinfo is not None else None
