"""What the service says: answers and payloads as the contract lists them, and as the liberties of an account have it."""

from datetime import timezone


def text_of(account, time):
    if time is None:
        return None
    time = time.astimezone(timezone.utc)
    if account.takes('timestamps'):
        return time.strftime('%Y-%m-%dT%H:%M:%S.%f') + '+00:00'
    return time.strftime('%Y-%m-%dT%H:%M:%S.') + f'{time.microsecond // 1000:03d}Z'


def finished(account, answer, optional=()):
    """Drops or keeps members without a value, and adds ones that nobody knows."""
    for name in optional:
        if answer.get(name) is None and not account.takes('null_members'):
            answer.pop(name, None)
    if account.takes('extra_members'):
        answer['x-carrierNote'] = {'shelf': 'B4', 'tags': ['', 3]}
        answer['revision'] = 1.5
    return answer


def livemode(account):
    return None if account.takes('livemode_null') else account.live


def address(account, given):
    if account.takes('one_line_address') and isinstance(given, dict):
        return ', '.join(str(part) for part in (given.get('line1'), given.get('city'), given.get('state')) if part) + (
            f" {given['postalCode']}" if given.get('postalCode') else '')
    if account.takes('object_address'):
        return {'line1': given if isinstance(given, str) else given.get('line1')}
    return given


def pricing(account, delivery):
    tip = delivery['order'].get('tipAmountCents') or 0
    answer = {'currency': 'CAD' if account.takes('currency') else 'USD', 'deliveryFeeCents': 1150, 'tipAmountCents': tip,
              'cancellationFeeCents': delivery['fee'], 'totalPriceCents': 1150 + tip}
    return finished(account, answer, ('cancellationFeeCents',))


def driver(account, one, delivery=None):
    answer = {name: one[name] for name in ('id', 'name', 'phoneNumber', 'vehicleDescription')}
    if delivery is None:
        answer = dict(one)
        if account.takes('driver_words'):
            answer['status'] = 'on_leave'
    if account.takes('driver_words'):
        answer['phoneNumber'] = answer['vehicleDescription'] = None
    if delivery is not None and delivery['status'] in ('driver_enroute_to_dropoff', 'driver_at_dropoff'):
        answer['location'] = finished(account, {'latitude': 33.749, 'longitude': -84.388, 'updatedAt': text_of(account, delivery['updatedAt'])})
    return finished(account, answer, ('phoneNumber', 'vehicleDescription'))


def resolved(account, delivery):
    derived, suppressed = [], []
    if 'alcohol' in ((delivery['order'].get('package') or {}).get('contains') or []):
        derived.append('identity, 21 and older, for alcohol' if account.takes('derived_texts')
                       else {'mechanism': 'identity', 'minimumAge': 21, 'because': 'alcohol'})
    if (delivery['order'].get('dropoff') or {}).get('installation') and account.takes('derived_texts'):
        suppressed.append('photo')
    return finished(account, {'derived': derived, 'suppressed': suppressed})


def proof(account, delivery, one):
    url = f"{account.base_url.rsplit('/delivery/v1')[0]}/files/{account.name}/{delivery['order_number']}/{one['number']}"
    answer = {'type': one['type'], 'stage': one['stage'], 'url': url, 'capturedAt': text_of(account, one['at'])}
    if account.takes('proof_words'):
        answer.update(type='video', stage='gate', capturedAt=None)
    return finished(account, answer, ('capturedAt',))


def history(account, delivery):
    if account.takes('history_empty'):
        return []
    if account.takes('history_names'):
        return [{'state': entry['status'], 'since': text_of(account, entry['at']), 'actor': None} for entry in delivery['history']]
    return [{'status': entry['status'], 'at': text_of(account, entry['at'])} for entry in delivery['history']]


def delivery(account, one, with_history=False):
    order = one['order']
    dropoff = order.get('dropoff') or {}
    store = (order.get('pickup') or {}).get('storeReference')
    answer = {
        'deliveryId': one['deliveryId'], 'clientOrderReference': one['clientOrderReference'], 'status': one['status'],
        'statusReason': one['statusReason'], 'statusReasonCode': one['statusReasonCode'],
        'pickup': finished(account, {'storeReference': store, 'businessName': account.stores.get(store)}, ('businessName',)),
        'dropoff': finished(account, {'address': address(account, dropoff.get('address') or ''), 'contactName': dropoff.get('contactName'),
                                      'contactPhone': dropoff.get('contactPhone')}, ('contactName', 'contactPhone')),
        'pricing': pricing(account, one), 'driver': driver(account, one['driver'], one) if one['driver'] else None,
        'proofOfDelivery': [proof(account, one, each) for each in one['proofs']], 'resolvedVerification': resolved(account, one),
        'trackingUrl': f"https://track.example.test/{one['order_number']}",
        'createdAt': text_of(account, one['createdAt']), 'updatedAt': text_of(account, one['updatedAt']),
    }
    if account.takes('masked_recipient'):
        answer['dropoff']['contactName'] = answer['dropoff']['contactPhone'] = None
        finished(account, answer['dropoff'], ('contactName', 'contactPhone'))
    if account.takes('missing_members'):
        for name in ('pricing', 'trackingUrl', 'updatedAt', 'resolvedVerification', 'proofOfDelivery' if not one['proofs'] else 'pickup'):
            answer[name] = None
    if with_history:
        answer['statusHistory'] = history(account, one)
    return finished(account, answer, ('statusReason', 'statusReasonCode', 'driver', 'pricing', 'trackingUrl', 'updatedAt',
                                      'resolvedVerification', 'proofOfDelivery', 'pickup'))


def list_item(account, one):
    answer = {'deliveryId': one['deliveryId'], 'clientOrderReference': one['clientOrderReference'], 'status': one['status'],
              'createdAt': text_of(account, one['createdAt']), 'updatedAt': text_of(account, one['updatedAt'])}
    if account.takes('sparse_list_items'):
        answer['clientOrderReference'] = answer['updatedAt'] = None
    return finished(account, answer, ('clientOrderReference', 'updatedAt'))


def payload(account, event, subject, previous):
    """The body of a webhook, which `data` of the event record equals."""
    answer = {'eventId': event['id'], 'eventType': event['type'], 'occurredAt': text_of(account, event['at']),
              'previousStatus': None if account.takes('no_previous_status') else previous, 'livemode': livemode(account)}
    if event['type'].startswith('delivery.'):
        answer['delivery'] = delivery(account, subject)
        if event['type'] == 'delivery.eta_updated':
            if account.takes('eta_payload'):
                answer['delivery'] = subject['deliveryId']
            answer['eta'] = {'dropoff': [text_of(account, event['at']), None]}
    elif event['type'].startswith('driver.'):
        answer['driver'] = {name: subject[name] for name in ('id', 'name', 'onDuty')}
    elif event['type'].startswith('installation.'):
        answer.update(changed=['fpconLevel'], affectedDeliveryCount=2, installation=installation(account, subject))
    else:
        answer['notice'] = subject
    return finished(account, answer, ('previousStatus',))


def event_record(account, event):
    answer = {'eventId': event['id'], 'eventType': event['type'], 'occurredAt': text_of(account, event['at']), 'livemode': livemode(account),
              'deliveryId': event['delivery'], 'deliveryAttempts': event['attempts'], 'lastDeliveryStatus': event['status'],
              'lastAttemptAt': text_of(account, event['attempted_at']), 'data': event['data']}
    if event['status'] == 'arrived':
        answer['lastDeliveryStatus'] = 'acknowledged' if account.takes('success_name') else None
        if account.takes('success_absent'):
            del answer['lastDeliveryStatus']
    if account.takes('attempts_absent'):
        answer['deliveryAttempts'] = answer['lastAttemptAt'] = None
    return finished(account, answer, ('deliveryId', 'deliveryAttempts', 'lastAttemptAt'))


def quotes(account, order, offers, expires, reason):
    answer = {'clientOrderReference': order.get('clientOrderReference'), 'quotes': [], 'expiresAt': text_of(account, expires),
              'noQuoteReason': reason.lower() if reason and account.takes('no_quote_lower') else reason}
    for offer in offers:
        one = {'quoteId': offer['id'], 'carrierId': offer['carrier'], 'carrierName': 'Second Wheels', 'currency': 'CAD' if account.takes('currency') else 'USD',
               'totalPriceCents': offer['cents'], 'pickupEta': text_of(account, offer['pickup']), 'dropoffEta': text_of(account, offer['dropoff'])}
        if account.takes('quote_sparse'):
            one.update(carrierId=None, carrierName=None, pickupEta=None, dropoffEta=None)
            answer['expiresAt'] = None
        answer['quotes'].append(finished(account, one, ('carrierId', 'carrierName', 'pickupEta', 'dropoffEta')))
    if not offers and account.takes('quotes_absent'):
        del answer['quotes']
    return finished(account, answer, ('clientOrderReference', 'noQuoteReason', 'expiresAt'))


def capabilities(account):
    answer = dict(account.capabilities)
    if account.takes('capability_null'):
        answer.update(quotes=None, cancellationFees=None, maxRequestsPerSecond=None)
        del answer['routeOptimization'], answer['returns']
    return finished(account, {'accountType': account.kind, 'capabilities': finished(account, answer)})


INSTALLATIONS = [
    {'code': 'FT-ALDER', 'name': 'Fort Alder', 'branch': 'army', 'state': 'GA', 'acceptingDeliveries': True, 'accessLevel': 'id_required',
     'fpconLevel': 'normal', 'photographyPermitted': False, 'imagingRestrictions': 'no_recording_devices',
     'supportedDeliveryPoints': ['cq_desk', 'gate_handoff'], 'permittedProofTypes': ['signature', 'pin_code'], 'prohibitedCargo': ['alcohol']},
    {'code': 'NS-KELP', 'name': 'Naval Station Kelp', 'branch': 'navy', 'state': 'VA', 'acceptingDeliveries': True, 'accessLevel': 'escort_required',
     'fpconLevel': 'bravo', 'photographyPermitted': True, 'imagingRestrictions': None,
     'supportedDeliveryPoints': ['mailroom'], 'permittedProofTypes': ['signature', 'barcode'], 'prohibitedCargo': ['controlled_cargo']},
    {'code': 'AB-CLOUD', 'name': 'Air Base Cloud', 'branch': 'air_force', 'state': 'CO', 'acceptingDeliveries': False, 'accessLevel': 'restricted',
     'fpconLevel': 'bravo', 'photographyPermitted': False, 'imagingRestrictions': 'no_recording_devices',
     'supportedDeliveryPoints': ['gate_handoff'], 'permittedProofTypes': ['signature'], 'prohibitedCargo': ['alcohol', 'controlled_cargo']},
]
LISTED = ('code', 'name', 'branch', 'state', 'acceptingDeliveries', 'accessLevel', 'photographyPermitted', 'supportedDeliveryPoints')


def installation(account, one, listed=False):
    answer = {name: one[name] for name in LISTED} if listed else dict(one)
    if account.takes('installation_words'):
        answer.update(accessLevel='by_appointment', supportedDeliveryPoints=['loading_dock'])
        if not listed:
            answer.update(fpconLevel='delta_plus', imagingRestrictions='escorted_only', permittedProofTypes=['thumbprint'], prohibitedCargo=['drones'])
    if not listed:
        hours = 'weekdays from half past six; closed on federal holidays' if account.takes('gate_hours') else '06:00-20:00'
        gate = {'name': 'Visitor gate', 'commercialVehiclesPermitted': True, 'hours': hours, 'timezone': None if account.takes('gate_hours') else 'America/New_York'}
        answer['gates'] = [finished(account, gate, ('timezone',))]
        answer['policyUpdatedAt'] = '2026-01-05T00:00:00Z'
    if account.takes('installation_sparse'):
        answer = {name: answer[name] for name in ('code', 'name')}
    return finished(account, answer, ('imagingRestrictions',))


def serviceability(account, installation_of, refused, now):
    answer = {'serviceable': refused is None, 'reasonCode': refused, 'reason': None if refused is None else f'Not now: {refused}.',
              'evaluatedAt': text_of(account, now)}
    if installation_of is not None:
        one = installation_of
        answer.update(installation={name: one[name] for name in ('code', 'name', 'accessLevel', 'fpconLevel')}, recommendedGate='Visitor gate',
                      credentialedDriversAvailable=True, permittedProofTypes=one['permittedProofTypes'],
                      suppressedProofTypes=[] if one['photographyPermitted'] else ['photo'], supportedDeliveryPoints=one['supportedDeliveryPoints'])
    if account.takes('serviceability_sparse'):
        answer = {'serviceable': refused is None, 'reasonCode': None if refused is None else 'drawbridge_up'}
    return finished(account, answer, ('reasonCode', 'reason'))


def team(account, one):
    return finished(account, {'id': one['id']} if account.takes('team_sparse') else dict(one))
