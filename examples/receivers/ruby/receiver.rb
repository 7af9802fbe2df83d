# Receives webhooks of the Delivery Service with nothing but Ruby 3.1. DLV_WEBHOOK_SECRET is the signing secret.
require 'json'
require 'openssl'
require 'socket'
require 'time'
require 'timeout'

MAX_BODY = 1_048_576
TOLERANCE_SECONDS = 300
KEYS = ENV.fetch('DLV_WEBHOOK_SECRET', '').split.map do |secret|
  secret.delete_prefix('whsec_').unpack1('m0')
rescue ArgumentError
  abort 'DLV_WEBHOOK_SECRET is malformed: a secret is whsec_ and base64.'
end

# Whether a signature is of one of our secrets, over the bytes as they arrived, within five minutes.
def signed?(headers, body)
  id, timestamp = headers.values_at('webhook-id', 'webhook-timestamp')
  return false if id.to_s.empty? || !timestamp.to_s.match?(/\A\d{1,12}\z/)
  return false if (Time.now.to_i - timestamp.to_i).abs > TOLERANCE_SECONDS

  good = KEYS.map { |key| 'v1,' + [OpenSSL::HMAC.digest('SHA256', key, "#{id}.#{timestamp}.".b + body)].pack('m0') }
  headers['webhook-signature'].to_s.split.any? { |given| good.any? { |one| OpenSSL.secure_compare(given, one) } }
end

# Holds each event once and the newest snapshot of each delivery. Use tables of your database instead.
class Store
  def initialize(path)
    @lock = Mutex.new
    @event_ids = {}
    @deliveries = {}
    @file = File.open(path, 'a+b')
    @file.each_line { |line| apply(*JSON.parse(line)) }
  end

  # Says what became of the event: processed, outdated, ignored or duplicate. It is on disk by then.
  def take(event)
    delivery = event['delivery'] || {}
    row = [*event.values_at('eventId', 'occurredAt'), *delivery.values_at('deliveryId', 'status')]
    @lock.synchronize do
      next 'duplicate' if @event_ids.key?(event['eventId'])

      @file.puts(JSON.generate(row))
      @file.fsync
      apply(*row)
    end
  end

  private

  def apply(event_id, occurred_at, delivery_id, status)
    @event_ids[event_id] = true
    return 'ignored' unless delivery_id
    at = Time.iso8601(occurred_at)
    return 'outdated' if @deliveries.key?(delivery_id) && @deliveries[delivery_id].first > at

    @deliveries[delivery_id] = [at, status]
    'processed'
  end
end

def read_headers(socket)
  lines = []
  while (line = socket.gets("\r\n", 16_384)) && line != "\r\n"
    lines << line.chomp
    raise 'too many headers' if lines.size > 100
  end
  lines.drop(1).to_h { |header| header.split(/:\s*/, 2) }.transform_keys(&:downcase)
end

# The raw bytes of a body with a length or in chunks; nil if they are too many.
def read_body(socket, headers)
  unless headers['transfer-encoding'].to_s.casecmp?('chunked')
    length = headers['content-length'].to_i
    return length > MAX_BODY ? nil : socket.read(length)
  end
  body = ''.b
  while (size = socket.gets("\r\n", 100).to_i(16)).positive?
    return nil if body.bytesize + size > MAX_BODY

    body << socket.read(size)
    socket.gets("\r\n", 100)
  end
  body
end

def answer(socket, status, value)
  text = JSON.generate(value)
  socket.write("HTTP/1.1 #{status}\r\nContent-Type: application/json\r\n" \
               "Content-Length: #{text.bytesize}\r\nConnection: close\r\n\r\n#{text}")
end

def serve(socket, store, work)
  headers = read_headers(socket)
  body = read_body(socket, headers)
  return answer(socket, '413 Content Too Large', error: 'the body is larger than 1 MiB') if body.nil?
  return answer(socket, '401 Unauthorized', error: 'the signature does not match') unless signed?(headers, body)

  event = JSON.parse(body)
  outcome = store.take(event)
  answer(socket, '200 OK', outcome: outcome)
  work << event if outcome == 'processed'
end

abort 'Set DLV_WEBHOOK_SECRET to the signing secret.' if KEYS.empty?
store = Store.new(ENV.fetch('EVENTS_FILE', 'events.jsonl'))
work = Queue.new
# What takes time comes after the answer: tell the customer, close the order.
Thread.new { loop { work.pop.then { |event| puts "#{event['eventType']} #{event.dig('delivery', 'clientOrderReference')}" } } }
server = TCPServer.new('127.0.0.1', ENV.fetch('PORT', '3000').to_i)
$stdout.sync = true
puts "listening on http://127.0.0.1:#{server.addr[1]}/webhooks"
loop do
  Thread.new(server.accept) do |socket|
    Timeout.timeout(30) { serve(socket, store, work) }
  rescue StandardError => e
    warn e.message
  ensure
    socket.close
  end
end
