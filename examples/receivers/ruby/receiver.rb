# Receives webhooks of the Delivery Service with nothing but Ruby 3.1. DLV_WEBHOOK_SECRET is the signing secret.
require 'json'
require 'openssl'
require 'socket'
require 'time'
require 'timeout'

MAX_BODY = 1_048_576
TOLERANCE_SECONDS = 300
WHAT_TO_DO = 'Correct or delete the line: an event that a crash cut off was not acknowledged and is sent again.'
WHEN_AGAIN = 'It is handled again at the next start, unless a newer event of its delivery is done by then.'
SECRET = %r{\A(?:whsec_)?[A-Za-z0-9+/]{22,}={0,2}\z}
PLACEHOLDER = %r{(?i:secret|webhook|change.?me|replace|x{8})|\A(?:whsec_)?(?:[a-z/]+|[A-Z/]+)=*\z}
KEYS = ENV.fetch('DLV_WEBHOOK_SECRET', '').split(/[\s,]+/).reject(&:empty?).map do |secret|
  raise ArgumentError if !secret.match?(SECRET) || secret.match?(PLACEHOLDER)

  secret.delete_prefix('whsec_').unpack1('m0')
rescue ArgumentError
  abort 'DLV_WEBHOOK_SECRET is malformed: a secret is whsec_ and the base64 of 16 bytes or more, ' \
        'not a placeholder, a path or a signature.'
end

# Whether a signature is of one of our secrets, over the bytes as they arrived, within five minutes.
def signed?(headers, body)
  id, timestamp = headers.values_at('webhook-id', 'webhook-timestamp')
  return false if id.to_s.empty? || !timestamp.to_s.match?(/\A\d{1,12}\z/)
  return false if (Time.now.to_i - timestamp.to_i).abs > TOLERANCE_SECONDS

  good = KEYS.map { |key| 'v1,' + [OpenSSL::HMAC.digest('SHA256', key, "#{id}.#{timestamp}.".b + body)].pack('m0') }
  headers['webhook-signature'].to_s.split.any? { |given| good.any? { |one| OpenSSL.secure_compare(given, one) } }
end

# Your work, once an event is on disk: tell the customer, close the order. After a crash it may come again.
def handle(event)
  puts "#{event['eventType']} #{event.dig('delivery', 'clientOrderReference')}"
end

# An event as the service sends it; raises if the JSON is something else.
class Event
  attr_reader :body, :id, :at, :delivery_id

  def initialize(body)
    @body = body
    @id = body.fetch('eventId')
    @at = Time.iso8601(body.fetch('occurredAt'))
    @delivery_id = body.dig('delivery', 'deliveryId')
    texts = [id, body.fetch('eventType'), delivery_id || '']
    raise TypeError, "expected strings, got #{texts}" unless texts.all?(String)
  end
end

# Each event once, the newest of each delivery and the work to do. Use tables of your database instead.
class Store
  def initialize(path)
    @lock = Mutex.new
    @event_ids = {}
    @newest = {}
    @work = Queue.new
    @file = File.open(path, 'a+b')
    todo = {}
    done_until = {}
    @file.each_line.with_index(1) do |line, number|
      next if line.strip.empty?

      record = JSON.parse(line)
      if record.key?('eventId')
        event = Event.new(record)
        todo[event.id] = event if apply(event) == 'processed'
      elsif (done = todo.delete(record.fetch('done')))
        done_until[done.delivery_id] = done.at
      end
    rescue StandardError => e
      warn "#{path}:#{number}: skipped, not an event (#{e.message[0, 100]}). #{WHAT_TO_DO}"
    end
    todo.each_value { |event| @work << event if event.at >= done_until.fetch(event.delivery_id, event.at) }
  end

  # Says what became of the event: processed, outdated, ignored or duplicate. It is on disk by then.
  def take(event, body)
    @lock.synchronize do
      next 'duplicate' if @event_ids.key?(event.id)

      append(body.tr("\r\n", '  '))
      @file.fsync
      apply(event).tap { |outcome| @work << event if outcome == 'processed' }
    end
  end

  # Handles one event after the other. One that fails holds up no other.
  def work_off
    while (event = @work.pop)
      begin
        handle(event.body)
        @lock.synchronize { append(JSON.generate(done: event.id)) }
      rescue StandardError => e
        warn "#{event.id} failed. #{WHEN_AGAIN}\n#{e.full_message(highlight: false)}"
      end
    end
  end

  private

  def append(line)
    @file.write("\n#{line}") # The break comes first: a line that a crash cut off spoils no other.
    @file.flush
  end

  def apply(event)
    @event_ids[event.id] = true
    return 'ignored' unless event.delivery_id
    return 'outdated' if @newest.fetch(event.delivery_id, event.at) > event.at

    @newest[event.delivery_id] = event.at
    'processed'
  end
end

# The method, and the headers by their names in lower case.
def read_head(socket)
  lines = []
  while (line = socket.gets("\r\n", 16_384)) && line != "\r\n"
    lines << line.chomp
    raise 'too many headers' if lines.size > 100
  end
  [lines.first.to_s[/\A\S+/], lines.drop(1).to_h { |header| header.split(/:\s*/, 2) }.transform_keys(&:downcase)]
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

def answer(socket, status, value, more = '')
  text = JSON.generate(value)
  socket.write("HTTP/1.1 #{status}\r\nContent-Type: application/json\r\n#{more}" \
               "Content-Length: #{text.bytesize}\r\nConnection: close\r\n\r\n#{text}")
end

def serve(socket, store)
  method, headers = read_head(socket)
  return answer(socket, '405 Method Not Allowed', { error: 'webhooks come by POST' }, "Allow: POST\r\n") if method != 'POST'

  body = read_body(socket, headers)
  return answer(socket, '413 Content Too Large', error: 'the body is larger than 1 MiB') if body.nil?
  return answer(socket, '401 Unauthorized', error: 'the signature does not match') unless signed?(headers, body)

  begin
    event = Event.new(JSON.parse(body))
  rescue StandardError => e # It would be no better if the service sent it again.
    warn "#{headers['webhook-id']} is well signed but not an event, ignored (#{e.message[0, 100]})"
    return answer(socket, '200 OK', outcome: 'ignored')
  end
  answer(socket, '200 OK', outcome: store.take(event, body))
end

abort 'Set DLV_WEBHOOK_SECRET to the signing secret.' if KEYS.empty?
store = Store.new(ENV.fetch('EVENTS_FILE', 'events.jsonl'))
$stdout.sync = true
server = TCPServer.new('127.0.0.1', ENV.fetch('PORT', '3000').to_i)
puts "listening on http://127.0.0.1:#{server.addr[1]}/webhooks"
Thread.new { store.work_off }
loop do
  Thread.new(server.accept) do |socket|
    Timeout.timeout(30) { serve(socket, store) }
  rescue StandardError => e
    warn e.message
  ensure
    socket.close
  end
end
