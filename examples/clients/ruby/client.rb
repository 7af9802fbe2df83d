# Creates orders at the Delivery Service, each once, with nothing but Ruby 3.1. Set DLV_BASE_URL and DLV_API_KEY.
require 'digest'
require 'json'
require 'net/http'
require 'time'

BASE_URL = ENV.fetch('DLV_BASE_URL', '').chomp('/')
API_KEY = ENV.fetch('DLV_API_KEY', '')
ATTEMPTS = 10
LOST = [SystemCallError, SocketError, IOError, Timeout::Error, Net::ProtocolError, Net::HTTPBadResponse,
        OpenSSL::SSL::SSLError, JSON::ParserError].freeze

# The service refused a request; sending the same again changes nothing.
class ServiceError < StandardError
  attr_reader :status, :code

  def initialize(status, error)
    super("#{status} #{error['code']}: #{error['message']} (request #{error['requestId']})")
    @status = status
    @code = error['code']
  end

  def may_pass? = status == 429 || status >= 500 || code == 'IDEMPOTENCY_CONFLICT'
end

# Sends a request until there is a final answer. The key and the bytes are the same each time.
def request(method, path, body: nil, key: nil)
  uri = URI(BASE_URL + path)
  ATTEMPTS.times do |attempt|
    retry_after = 0
    begin
      response = exchange(method, uri, body, key)
      return JSON.parse(response.body) if response.is_a?(Net::HTTPSuccess)

      retry_after = response['retry-after'].to_i
      raise ServiceError.new(response.code.to_i, error_of(response))
    rescue ServiceError, *LOST => e
      raise if e.is_a?(ServiceError) && !e.may_pass?

      wait = [retry_after, rand(0.5..1.0) * [30, 0.5 * (2**attempt)].min].max
      warn format('%s %s: %s; trying again in %.1f s', method, uri.path, e.message, wait)
      sleep wait
    end
  end
  raise "#{method} #{uri.path}: no final answer after #{ATTEMPTS} attempts; run the same command again"
end

def exchange(method, uri, body, key)
  sent = Net::HTTPGenericRequest.new(method, !body.nil?, true, uri)
  sent['Authorization'] = "Bearer #{API_KEY}"
  sent['Content-Type'] = 'application/json'
  sent['Idempotency-Key'] = key if key
  sent.body = body
  options = { use_ssl: uri.scheme == 'https', open_timeout: 10, read_timeout: 30, max_retries: 0 }
  Net::HTTP.start(uri.host, uri.port, **options) { |http| http.request(sent) }
end

# The error of the contract; something in front of the service may answer with anything.
def error_of(response)
  if response.code.to_i < 400
    return { 'code' => 'REDIRECT', 'message' => "not followed, check DLV_BASE_URL: #{response['location']}" }
  end

  JSON.parse(response.body).fetch('error')
rescue JSON::ParserError, KeyError, NoMethodError, TypeError
  { 'message' => response.message }
end

# Creates a delivery. The key is derived from the order, so that a second run repeats and does not create.
def create(order)
  reference = order['clientOrderReference'] if order.is_a?(Hash)
  raise ArgumentError, 'the order has no clientOrderReference' unless reference.is_a?(String) && !reference.empty?

  request('POST', '/deliveries', body: JSON.generate(order), key: "order-#{Digest::SHA256.hexdigest(reference)}")
rescue ServiceError => e # The service forgets a key after a day, but not the reference.
  existing = e.code == 'DUPLICATE_ORDER' ? deliveries({ clientOrderReference: reference }).first : nil
  existing || raise
end

# All deliveries of a list, page by page. Pages may be short or empty: only a missing cursor is the end.
def deliveries(query)
  return to_enum(:deliveries, query) unless block_given?

  loop do
    page = request('GET', "/deliveries?#{URI.encode_www_form(query)}")
    page['deliveries'].each { |delivery| yield delivery }
    return unless page['nextCursor']

    query = query.merge(cursor: page['nextCursor'])
  end
end

if ARGV.size != 1 || BASE_URL.empty? || API_KEY.empty?
  abort 'usage: ruby client.rb ORDERS.ndjson, with DLV_BASE_URL and DLV_API_KEY set'
end
lines = File.readlines(ARGV.first, encoding: 'UTF-8').each.with_index(1).reject { |line, _| line.strip.empty? }
created = lines.filter_map do |line, number|
  delivery = create(JSON.parse(line))
  puts delivery.values_at('clientOrderReference', 'deliveryId', 'status').join(' ')
  delivery
rescue ServiceError, ArgumentError, JSON::ParserError => e
  warn "line #{number}: #{e.message}"
end
oldest = [(Time.now.utc - 86_400).iso8601, *created.filter_map { |one| one['createdAt'] }].min
references = created.to_h { |one| [one['clientOrderReference'], true] }
begin
  listed = deliveries({ from: oldest, limit: 100 }).count { |one| references.key?(one['clientOrderReference']) }
rescue ServiceError => e
  abort e.message
end
puts "#{lines.size} orders, #{lines.size - created.size} refused, #{listed} deliveries"
exit(created.size == lines.size && listed == lines.size)
