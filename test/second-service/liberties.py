"""The liberties of the second service: what the contract leaves open, and what is done differently there.

Each has a name, the contract's words that allow it, and what the service does when it is taken. Nothing here is
against the text: a client that fails on one of these relies on something that nobody promised.
"""

OPTIONAL = 'Required/optional flags, lengths and formats of individual fields are not shown except where stated below.'
NEW_VALUES = 'new enum values (`DeliveryStatus`, `eventType`, error `code`), new webhook event types'
NEW_PROPERTIES = 'new optional request fields, new properties on response objects'

LIBERTIES = {
    # name: (the words of the contract, what is done)
    'ids': (
        'Identifier prefixes seen: `del_` (delivery), `qot_` (quote), `car_` (carrier), `drv_` (driver), `evt_` (event), `req_` (request).',
        'Ids have no prefix and other shapes: upper case, dots, colons, tildes, plain numbers as strings.',
    ),
    'extra_members': (NEW_PROPERTIES, 'Every object of an answer has members that the contract does not know.'),
    'missing_members': (OPTIONAL, 'Members of a delivery that a client can do without are left out: pricing, trackingUrl, updatedAt.'),
    'null_members': (OPTIONAL, 'Members that have no value are null instead of absent.'),
    'sparse_list_items': (OPTIONAL, 'List items have no clientOrderReference and no updatedAt.'),
    'held_status': (NEW_VALUES, 'New orders wait in a status `held`, with an event `delivery.held`, before they are accepted.'),
    'event_types': (NEW_VALUES, 'Types of events that the contract does not know, about deliveries and about something else.'),
    'error_codes': (NEW_VALUES, 'Refusals carry codes that the contract does not know.'),
    'reason_codes': ('statusReasonCode | string, branchable code', 'Reasons have codes that are not in the groups.'),
    'history_names': ('Fields of a `statusHistory` entry: not shown.', 'Entries are {state, since, actor}.'),
    'history_empty': ('statusHistory | array, present on `GET /deliveries/{deliveryId}`', 'The array is there and empty.'),
    'details_list': ('Shape of `details` for other errors: not shown.', '`details` is a list of texts.'),
    'details_text': ('Shape of `details` for other errors: not shown.', '`details` is a text.'),
    'details_null': ('`details` (optional)', '`details` is null.'),
    'field_pointers': ('`field` (JSON-path-style pointer), `code` (for example `INVALID_FORMAT`)', 'Fields are named $.a.b and have codes of their own.'),
    'validation_422': ('| VALIDATION_ERROR | 400 / 422 |', 'Validation fails with 422 where it could be 400.'),
    'simulate_refusal': ('Errors: 401, 404, 422 (illegal transition), 429.', 'An illegal transition is INVALID_STATE_TRANSITION with 422.'),
    'several_policies': ('for example `default;q=<quota>;w=<window seconds>`', 'RateLimit and RateLimit-Policy list two policies, of a second and of a day.'),
    'quoted_policy': ('for example `default;r=<remaining>;t=<seconds to reset>`', 'The policy is a quoted text of another name.'),
    'health_limit': ('stricter than authenticated endpoints; the value is not shown', 'GET /health answers once in 30 seconds.'),
    'health_degraded': ('503 health response with `degraded`', 'GET /health says degraded.'),
    'checked_at_null': (OPTIONAL, '`checkedAt` is null.'),
    'livemode_null': (OPTIONAL, '`livemode` is null in events and in the answer of simulate.'),
    'capability_null': (OPTIONAL, 'Capabilities are null or absent.'),
    'success_name': ('`lastDeliveryStatus` (`pending`, `failed` or `no_endpoint_configured`)', 'An event that arrived is `acknowledged`.'),
    'success_absent': ('`lastDeliveryStatus` (`pending`, `failed` or `no_endpoint_configured`)', 'An event that arrived has no lastDeliveryStatus.'),
    'attempts_absent': (OPTIONAL, 'Events have neither deliveryAttempts nor lastAttemptAt.'),
    'installation_sparse': (OPTIONAL, 'Installations have a code and a name only.'),
    'installation_words': ('accessLevel | string (values seen: `id_required`, `escort_required`, `restricted`)', 'Access, force protection, imaging, delivery points, proofs and hours have words that nobody has seen.'),
    'gate_hours': ('gates | array of {name, commercialVehiclesPermitted (boolean), hours (string), timezone (IANA name)}', 'Hours are prose; a gate has no timezone.'),
    'driver_words': ('Other values of driver `status`: not shown.', 'Drivers are `on_leave`, and have neither phone nor vehicle.'),
    'drivers_hidden': ('marketplace accounts may see only drivers on active deliveries', 'A marketplace account sees no driver without an active delivery.'),
    'team_sparse': (OPTIONAL, 'A team has an id only.'),
    'one_line_address': ('string (single line) OR object {line1, city, state, postalCode}', 'Addresses come back on one line.'),
    'object_address': ('string (single line) OR object {line1, city, state, postalCode}', 'Addresses come back as an object that has a line1 only.'),
    'masked_recipient': (OPTIONAL, 'The dropoff of an answer has neither name nor phone.'),
    'quotes_absent': ('`noQuoteReason` | string, present when `quotes` is empty'.replace('`noQuoteReason`', 'noQuoteReason'), 'An answer without quotes has no member `quotes`.'),
    'no_quote_lower': ('(a lower-case form such as `outside_service_area` also appears in a sample response)', 'noQuoteReason is in lower case.'),
    'quote_sparse': (OPTIONAL, 'A quote has no carrier and no times; expiresAt is null.'),
    'currency': ('integer cents; USD is the default currency', 'Prices are in CAD.'),
    'proof_words': ('type values seen: `photo`, `signature`, `barcode`, `pincode`; stage value seen: `dropoff`', 'A proof is a `video`, of the `gate`, without capturedAt.'),
    'proof_gone': ('proofOfDelivery | array of {type, stage, url, capturedAt}', 'The file of a proof is gone: 404.'),
    'derived_texts': ('resolvedVerification | object with derived[] and suppressed[]', 'derived and suppressed are lists of texts.'),
    'timestamps': ('UTC ISO-8601', 'Timestamps have microseconds and +00:00.'),
    'short_pages': ('`nextCursor` (string or null; null on the last page)', 'Pages are shorter than the limit; one is empty and has a cursor.'),
    'cursor_shape': ('opaque, from `nextCursor`', 'Cursors are long and have characters that an address must escape.'),
    'reference_array': ('returns an array of zero or one deliveries; unknown reference gives an empty array, not 404', 'The look-up by reference answers with a plain array.'),
    'references_recur': ('(stated both as an active delivery and as unique forever on the account)', 'A reference is free again once its delivery has ended.'),
    'body_bytes': ('same `Idempotency-Key`, different body; nothing executed', 'The same body is the same bytes.'),
    'refusals_kept': ('original response replayed, status 200 on create', 'A refusal is kept under its key, too.'),
    'eta_payload': ('Payload fields of `delivery.eta_updated`, `delivery.proof_of_delivery_added` and the driver events: not shown.', 'The payload of an ETA has a delivery that is an id.'),
    'no_previous_status': ('prior delivery status, when applicable', 'Events do not say what was before.'),
    'header_names': ('Rate-limit headers on every response (success or failure)', 'Header names are in lower case, JSON is `application/json;charset=utf-8`.'),
    'chunked': ('JSON request and response bodies', 'Bodies come in chunks, without a length.'),
    'serviceability_sparse': (OPTIONAL, 'The answer is `serviceable` and a reasonCode that nobody has seen.'),
    'emitted_extra': ('`emittedEvents` (array of event types)', 'Informational events are among the emitted ones.'),
}


def named(names):
    """The liberties that are named, or all; refuses what is not listed."""
    if names == 'all':
        return set(LIBERTIES)
    listed = names.split(',') if isinstance(names, str) else list(names)
    taken = {name for name in listed if name}
    unknown = taken - set(LIBERTIES)
    if unknown:
        raise ValueError('not a liberty: ' + ', '.join(sorted(unknown)))
    return taken
