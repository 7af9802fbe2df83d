# An order becomes a delivered one in the app. Run by `ruby order_test.rb`. APP is the command of the app, and APP_URL
# where it receives webhooks, unless the first line that it prints ends with that.
require 'json'
require 'minitest/autorun'
require 'net/http'
require 'tmpdir'

class OrderTest < Minitest::Test
  DLV = ENV.fetch('DLV', 'dlv').split
  APP = ENV.fetch('APP', 'ruby receiver.rb').split
  APP_URL = ENV.fetch('APP_URL', nil)
  ORDER = {
    clientOrderReference: 'TEST-1',
    pickup: { storeReference: 'STORE-001' },
    dropoff: {
      address: '418 Ramsey Street, Fayetteville, NC 28301',
      contactName: 'Dana Whitfield',
      contactPhone: '+19105550147'
    },
    metadata: { sandbox_pace: 'robo' }
  }.freeze

  def setup
    @programs = []
    @folder = Dir.mktmpdir
    sandbox = start({}, *DLV, 'sandbox', 'start', '--port', '0', '--data', ':memory:', '--quiet', '-o', 'json')
    @ready = JSON.parse(next_line(sandbox))
    @app = start({ 'PORT' => APP_URL ? URI(APP_URL).port.to_s : '0', 'EVENTS_FILE' => "#{@folder}/events.jsonl",
                   'DLV_WEBHOOK_SECRET' => @ready['webhookSecret'] }, *APP)
    wait_until_it_listens(URI(APP_URL)) if APP_URL
    control('/endpoints', url: APP_URL || next_line(@app).split.last)
  end

  def teardown
    @programs.each do |program|
      Process.kill('TERM', program.pid)
      program.close
    end
    FileUtils.remove_entry(@folder)
  end

  def test_the_app_hears_of_the_delivery
    created = api(Net::HTTP::Post, '/deliveries', ORDER, 'Idempotency-Key' => 'test-1')
    control('/clock', advance: '10m')
    assert_equal 'delivered', api(Net::HTTP::Get, "/deliveries/#{created['deliveryId']}")['status']
    nil until next_line(@app).include?('delivery.delivered TEST-1')
  end

  private

  # Starts a program; it ends with the test.
  def start(environment, *command)
    IO.popen(environment, command).tap { |program| @programs << program }
  end

  def next_line(program)
    assert program.wait_readable(20), 'the program printed nothing for 20 s'
    program.gets.to_s.chomp
  end

  def wait_until_it_listens(uri, attempts: 200)
    TCPSocket.new(uri.host, uri.port).close
  rescue SystemCallError
    raise if (attempts -= 1).zero?

    sleep 0.1
    retry
  end

  def control(path, body)
    call(Net::HTTP::Post, @ready['controlUrl'] + path, body)
  end

  def api(method, path, body = nil, headers = {})
    call(method, @ready['baseUrl'] + path, body, 'Authorization' => "Bearer #{@ready['apiKey']}", **headers)
  end

  def call(method, url, body, headers = {})
    request = method.new(URI(url), 'Content-Type' => 'application/json', **headers)
    request.body = JSON.generate(body) if body
    response = Net::HTTP.start(request.uri.host, request.uri.port) { |http| http.request(request) }
    assert_kind_of Net::HTTPSuccess, response, response.body
    JSON.parse(response.body)
  end
end
